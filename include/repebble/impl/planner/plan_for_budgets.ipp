#ifndef REPEBBLE_IMPL_PLANNER_PLAN_FOR_BUDGETS_IPP
#define REPEBBLE_IMPL_PLANNER_PLAN_FOR_BUDGETS_IPP

#include <repebble/planner/detail/plan_for_budgets.hpp>

#include <algorithm>
#include <functional>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/optional_budget.hpp>
#include <repebble/graph/training/value_policies.hpp>
#include <repebble/pebbling/host_link.hpp>
#include <repebble/planner/detail/model/deadline.hpp>
#include <repebble/planner/detail/plan_freely.hpp>
#include <repebble/planner/detail/policies/plan_with_policies.hpp>

namespace repebble::inline v0::detail {

/// The options in the times of a dataflow: those of the link, which the caller gives in its own units.
REPEBBLE_INLINE auto in_units(plan_options options, time_unit const& unit) -> plan_options {
    if (!options.link || unit == time_unit{}) return options;
    check_link(*options.link);
    for (auto* const time : {&options.link->time, &options.link->latency})
        *time = unit.whole_above(static_cast<double>(*time));
    return options;
}

/// Whether a plan has no overhead in any unit: nothing is copied, and nothing runs again.
[[nodiscard]] inline auto runs_all_once(automatic_plan<> const& found) -> bool {
    return found.lower_bound <= 0 && found.plan->cost.overhead == 0 &&
           std::ranges::all_of(found.plan->schedule.steps, [](auto const& s) {
               return s.what == action::discard || (s.what == action::compute && s.repetition == 0);
           });
}

REPEBBLE_INLINE auto plan_for_budgets(problem const& p, std::span<bytes const> budgets, plan_options const& options,
                                      listener const& hears) -> std::vector<automatic_plan<>> {
    for (auto const budget : budgets) static_cast<void>(budget_in_bytes(budget));
    check_options(options);
    if (options.policies.empty() && !options.policies.backward.empty())
        static_cast<void>(p.training() != nullptr ? mark_policies(*p.training(), options.policies)
                                                  : mark_policies(p.flow(), options.policies));
    auto const& unit = p.flow().unit();
    auto const whole = in_units(options, unit);
    auto const stopped = hears.with_stop(options.limits.stop);
    // Each budget has a part of the seconds, and a grace of its own: the call ends with its own.
    auto const clock = deadline::of_call(options.limits.seconds, stopped);
    std::function<bool()> const is_late = [&] { return clock.is_late(); };
    auto const until = options.limits.seconds ? hears.with_stop(is_late) : stopped;
    auto all = options.policies.empty() ? plan_freely(p.flow(), p.training(), budgets, whole, until)
                                        : plan_with_policies(p.flow(), p.training(), budgets, whole, until);
    for (auto& found : all) {
        found.unit = unit;
        // Of times that were rounded nothing is proven, but that no plan takes less than one that runs nothing again.
        if (found.plan && !unit.exact && !runs_all_once(found)) found.proven = false;
    }
    return all;
}

}  // namespace repebble::inline v0::detail

#endif
