#ifndef REPEBBLE_PLANNER_DETAIL_PLAN_FREELY_HPP
#define REPEBBLE_PLANNER_DETAIL_PLAN_FREELY_HPP

// Plans for several budgets without policies, with or without copies to the host: budgets in ascending order, each plan
// a start of the next; then bounds of larger budgets pass on to smaller ones.

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <repebble/detail/sort_by.hpp>
#include <repebble/planner/detail/budget_planner.hpp>

namespace repebble::inline v0::detail {

/// The numbers of the budgets, the smallest budget first.
[[nodiscard]] inline auto ascending(std::span<bytes const> budgets) -> std::vector<std::size_t> {
    std::vector<std::size_t> order;
    for (std::size_t k = 0; k < budgets.size(); ++k) order.push_back(k);
    sort_by(order, [&](std::size_t a, std::size_t b) { return budgets[a] < budgets[b]; });
    return order;
}

/// As `plan_for_budgets`, whatever the policies of the options.
[[nodiscard]] inline auto plan_freely(dataflow<> const& flow, training_graph<> const* training,
                                      std::span<bytes const> budgets, plan_options const& options,
                                      listener const& hears) -> std::vector<automatic_plan<>> {
    auto const order = ascending(budgets);
    std::vector<automatic_plan<>> all;
    if (options.link) {
        all = options.link.planner()(flow, training, budgets, order, options, hears);
    } else {
        all.resize(budgets.size());
        budget_planner planner(flow, training, options, hears);
        std::vector<operation_index> known;
        for (auto const k : order) all[k] = planner.plan(budgets[k], known);
    }
    // A bound for a budget holds for all smaller ones.
    for (std::size_t i = order.size(); i-- > 1;) {
        auto& less = all[order[i - 1]];
        auto const& more = all[order[i]];
        if (!more.plan && more.proven) less.proven = true;
        less.base_order_bound = std::max(less.base_order_bound, more.base_order_bound);
        if (!(less.lower_bound < more.lower_bound)) continue;
        less.lower_bound = more.lower_bound;
        if (less.plan && !(less.lower_bound < less.plan->cost.overhead)) less.proven = true;
    }
    return all;
}

}  // namespace repebble::inline v0::detail

#endif
