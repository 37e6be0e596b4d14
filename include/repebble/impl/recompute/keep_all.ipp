#ifndef REPEBBLE_IMPL_RECOMPUTE_KEEP_ALL_IPP
#define REPEBBLE_IMPL_RECOMPUTE_KEEP_ALL_IPP

#include <repebble/recompute/keep_all.hpp>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/dataflow/detail/needed_operations.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>

namespace repebble::inline v0 {

REPEBBLE_INLINE auto keep_all(dataflow const& flow) -> recompute_plan<> {
    recompute_plan<> out;
    out.schedule = make_schedule(flow, detail::cheapest_operations(flow, detail::find_needed(flow)));
    out.cost = replay(flow, out.schedule);
    return out;
}

}  // namespace repebble::inline v0

#endif
