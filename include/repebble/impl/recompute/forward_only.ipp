#ifndef REPEBBLE_IMPL_RECOMPUTE_FORWARD_ONLY_IPP
#define REPEBBLE_IMPL_RECOMPUTE_FORWARD_ONLY_IPP

#include <repebble/recompute/forward_only.hpp>

#include <vector>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>

namespace repebble::inline v0 {

REPEBBLE_INLINE auto forward_only(dataflow const& forward) -> recompute_plan<> {
    std::vector<value_index> results;
    for (operation_index v = 0; v < forward.operation_count(); ++v)
        if (forward.is_sink(v)) results.insert(results.end(), forward.writes(v).begin(), forward.writes(v).end());
    recompute_plan<> out;
    out.schedule = make_schedule(forward, forward.order(), results);
    out.cost = replay(forward, out.schedule, {.resident_at_end = results});
    return out;
}

}  // namespace repebble::inline v0

#endif
