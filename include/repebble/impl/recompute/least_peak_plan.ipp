#ifndef REPEBBLE_IMPL_RECOMPUTE_LEAST_PEAK_PLAN_IPP
#define REPEBBLE_IMPL_RECOMPUTE_LEAST_PEAK_PLAN_IPP

#include <repebble/recompute/least_peak_plan.hpp>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/pebbling/replay.hpp>

namespace repebble::inline v0 {

REPEBBLE_INLINE auto least_peak_plan(problem const& p, order_options const& options) -> recompute_plan<> {
    auto const found = find_least_peak_order(p.flow(), options);
    recompute_plan<> plan{.schedule = make_schedule(p.flow(), found), .peak_bound = found.lower_bound};
    plan.cost = replay(p.flow(), plan.schedule);
    return plan;
}

}  // namespace repebble::inline v0

#endif
