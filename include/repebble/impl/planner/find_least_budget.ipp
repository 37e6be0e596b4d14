#ifndef REPEBBLE_IMPL_PLANNER_FIND_LEAST_BUDGET_IPP
#define REPEBBLE_IMPL_PLANNER_FIND_LEAST_BUDGET_IPP

#include <repebble/planner/find_least_budget.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include <repebble/allocate/arena.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/planner/detail/model/deadline.hpp>
#include <repebble/planner/detail/plan_for_budgets.hpp>
#include <repebble/planner/detail/plan_freely.hpp>
#include <repebble/recompute/keep_all.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto least_budget_of(problem const& p, plan_options const& options, listener const& hears)
    -> least_budget<> {
    check_options(options);
    auto const& e = options.effort;
    auto const stopped = hears.with_stop(options.limits.stop);
    auto const clock = deadline::of_call(options.limits.seconds, stopped);
    auto const plan_within = [&](bytes budget, plan_options const& how) {
        return std::move(plan_for_budgets(p, std::span(&budget, 1), how, hears).front());
    };
    automatic_plan<> best;
    auto any = for_any_plan(options);
    any.limits.stop = [&] { return best.plan ? clock.is_over(e.halving_share) : clock.is_late(); };
    bytes found = keep_all(p.flow()).cost.peak;
    best = plan_within(found, any);
    auto const needed = best.floor;
    if (!best.plan) return {needed, 0, std::move(best)};
    // An arena may be larger than the peak of its plan.
    auto const need = [&](automatic_plan<> const& made, bytes budget) {
        if (!options.arena) return made.plan->cost.peak;
        arena_options const how{.offsets = {.limits = clock.limits(1)}};
        return std::min(budget, make_arena(p.flow(), made.plan->schedule, how).size);
    };
    bytes low = needed.size - 1, high = need(best, found);
    auto const fits = [&](bytes budget) {
        auto tried = plan_within(budget, any);
        if (!tried.plan) return false;
        found = budget;
        best = std::move(tried);
        return true;
    };
    for (std::size_t k = 0; k < e.halvings && high - low > 1; ++k) {
        if (clock.is_over(e.halving_share)) break;
        bytes const middle = low + (high - low) / 2;
        if (fits(middle))
            high = need(best, middle);
        else
            low = middle;
    }
    if (high < found && !clock.is_over(e.halving_share)) static_cast<void>(fits(high));
    auto rest = options;
    rest.limits.seconds = clock.left();
    auto more = plan_within(found, rest);
    return {needed, found, more.plan ? std::move(more) : std::move(best)};
}

}  // namespace repebble::inline v0::detail

#endif
