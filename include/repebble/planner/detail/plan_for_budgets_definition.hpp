#ifndef REPEBBLE_PLANNER_DETAIL_PLAN_FOR_BUDGETS_DEFINITION_HPP
#define REPEBBLE_PLANNER_DETAIL_PLAN_FOR_BUDGETS_DEFINITION_HPP

// Definition of `plan_for_budgets`: budgets in ascending order, each plan a start of the next; then bounds of larger
// budgets pass on to smaller ones. Included by the header of that name, or once by a source file.

#include <cstddef>
#include <vector>

#include <repebble/detail/sort_by.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/planner/detail/budget_planner.hpp>
#include <repebble/planner/detail/plan_for_budgets.hpp>

namespace repebble::inline v0::detail {

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
inline
#endif
    auto
    plan_for_budgets(dataflow<> const& flow, training_graph<> const* training, std::span<bytes const> budgets,
                     plan_options const& options, listener const& hears) -> std::vector<automatic_plan<>> {
    std::vector<std::size_t> order;
    for (std::size_t k = 0; k < budgets.size(); ++k) order.push_back(k);
    sort_by(order, [&](std::size_t a, std::size_t b) { return budgets[a] < budgets[b]; });
    std::vector<automatic_plan<>> all(budgets.size());
    std::vector<operation_index> known;
    budget_planner planner(flow, training, options, hears);
    for (auto const k : order) {
        REPEBBLE_ASSERT(budgets[k] >= 0);
        all[k] = planner.plan(budgets[k], known);
    }
    // A bound for a budget holds for all smaller ones.
    for (std::size_t i = order.size(); i-- > 1;) {
        auto& less = all[order[i - 1]];
        auto const& more = all[order[i]];
        if (!more.plan && more.proven) less.proven = true;
        if (!(less.lower_bound < more.lower_bound)) continue;
        less.lower_bound = more.lower_bound;
        if (less.plan && !(less.lower_bound < less.plan->cost.overhead)) less.proven = true;
    }
    return all;
}

}  // namespace repebble::inline v0::detail

#endif
