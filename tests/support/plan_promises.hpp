#ifndef REPEBBLE_TESTS_SUPPORT_PLAN_PROMISES_HPP
#define REPEBBLE_TESTS_SUPPORT_PLAN_PROMISES_HPP

#include <cstddef>
#include <string>
#include <vector>

#include <repebble/plan.hpp>

#include "support/promises.hpp"

namespace support {

/// "" or a promise of the automatic planner that a plan breaks.
[[nodiscard]] inline auto plan_fault(repebble::dataflow const& flow, repebble::bytes budget,
                                     repebble::automatic_plan<> const& found, exhaustive_result const& truth)
    -> std::string {
    if (found.plan) {
        auto const& cost = found.plan->cost;
        if (auto const fault = schedule_fault(flow, found.plan->schedule, cost.peak, cost.time); !fault.empty())
            return fault;
        if (cost.peak > budget) return "it does not fit";
        if (found.lower_bound > cost.overhead) return "its bound is above its overhead";
        if (found.proven != (found.lower_bound == cost.overhead)) return "proven is another than bound = overhead";
        if (truth.searched && (!truth.least_time || cost.time < *truth.least_time)) return "there is no such schedule";
    }
    if (!truth.searched || !truth.least_time) return {};
    if (flow.time_once() + found.lower_bound > *truth.least_time) return "its bound is above the optimum";
    return found.proven && !found.plan ? "it proves that none fits, and one does" : "";
}

/// "" or a promise of `plan_curve` that its plans break.  Requires: budgets ascend.
[[nodiscard]] inline auto curve_fault(std::vector<repebble::automatic_plan<>> const& curve) -> std::string {
    for (std::size_t k = 1; k < curve.size(); ++k) {
        auto const& less = curve[k - 1];
        auto const& more = curve[k];
        if (more.lower_bound > less.lower_bound) return "a larger budget has a greater bound";
        if (!less.plan) continue;
        if (!more.plan) return "a larger budget has no plan";
        if (more.plan->cost.time > less.plan->cost.time) return "a larger budget has a slower plan";
    }
    return {};
}

}  // namespace support

#endif
