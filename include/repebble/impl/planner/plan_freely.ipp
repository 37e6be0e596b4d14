#ifndef REPEBBLE_IMPL_PLANNER_PLAN_FREELY_IPP
#define REPEBBLE_IMPL_PLANNER_PLAN_FREELY_IPP

#include <repebble/planner/detail/plan_freely.hpp>

#include <algorithm>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/detail/sort_by.hpp>
#include <repebble/planner/detail/budget_planner.hpp>
#include <repebble/planner/detail/swap_planner.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto ascending(std::span<bytes const> budgets) -> std::vector<std::size_t> {
    std::vector<std::size_t> order;
    for (std::size_t k = 0; k < budgets.size(); ++k) order.push_back(k);
    sort_by(order, [&](std::size_t a, std::size_t b) { return budgets[a] < budgets[b]; });
    return order;
}

REPEBBLE_INLINE auto plan_freely(dataflow const& flow, training_graph const* training,
                                      std::span<bytes const> budgets, plan_options const& options,
                                      listener const& hears) -> std::vector<automatic_plan<>> {
    auto const order = ascending(budgets);
    std::vector<automatic_plan<>> all(budgets.size());
    std::vector<operation_index> known;
    if (options.link) {
        swap_planner planner(flow, training, options, hears);
        automatic_plan<> const* smaller = nullptr;
        for (auto const k : order) {
            all[k] = planner.plan(budgets[k], known, smaller);
            smaller = &all[k];
        }
    } else {
        budget_planner planner(flow, training, options, hears);
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
