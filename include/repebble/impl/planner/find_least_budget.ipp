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
#include <repebble/recompute/keep_all.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto least_budget_of(problem const& p, plan_options const& options, listener const& hears)
    -> least_budget<> {
    check_options(options);
    auto const& e = options.effort;
    auto const stopped = hears.with_stop(options.limits.stop);
    deadline const clock(options.limits.seconds, stopped);
    auto const plan_within = [&](bytes budget, plan_options const& how) {
        return std::move(plan_for_budgets(p, std::span(&budget, 1), how, hears).front());
    };
    auto little = options;
    little.limits.work = e.halving_moves;
    if (options.limits.seconds)
        little.limits.seconds = *options.limits.seconds * e.halving_share / static_cast<double>(e.halvings);
    bytes found = keep_all(p.flow()).cost.peak;
    auto best = plan_within(found, little);
    auto const needed = best.floor;
    // An arena may be larger than the peak of its plan.
    auto const need = [&](automatic_plan<> const& made, bytes budget) {
        if (!options.arena) return made.plan->cost.peak;
        arena_options const how{.offsets = {.limits = {.seconds = clock.left(), .stop = options.limits.stop}}};
        return std::min(budget, make_arena(p.flow(), made.plan->schedule, how).size);
    };
    if (best.plan) found = need(best, found);
    bytes low = needed.size - 1;
    for (std::size_t k = 0; k < e.halvings && best.plan && found - low > 1; ++k) {
        if (clock.is_over(e.halving_share)) break;
        bytes const middle = low + (found - low) / 2;
        auto tried = plan_within(middle, little);
        if (tried.plan) {
            found = need(tried, middle);
            best = std::move(tried);
        } else {
            low = middle;
        }
    }
    if (!best.plan) return {needed, 0, std::move(best)};
    auto rest = options;
    rest.limits.seconds = clock.left();
    auto more = plan_within(found, rest);  // more work is other work: it may miss what a little found
    if (!more.plan) return {needed, found, std::move(best)};
    found = need(more, found);
    return {needed, found, std::move(more)};
}

}  // namespace repebble::inline v0::detail

#endif
