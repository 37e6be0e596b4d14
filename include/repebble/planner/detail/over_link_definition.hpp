#ifndef REPEBBLE_PLANNER_DETAIL_OVER_LINK_DEFINITION_HPP
#define REPEBBLE_PLANNER_DETAIL_OVER_LINK_DEFINITION_HPP

// Definition of `over_link`, which the option of a link brings with it (`planner/link_option.hpp`). Included
// beside the definition of `plan_for_budgets`.

#include <repebble/planner/detail/swap_planner.hpp>
#include <repebble/planner/link_option.hpp>

namespace repebble::inline v0::detail {

template <class T>
auto over_link<T>::plan(dataflow<> const& flow, training_graph<> const* training, std::span<bytes const> budgets,
                        std::span<std::size_t const> order, plan_options const& options, listener const& hears)
    -> std::vector<automatic_plan<>> {
    std::vector<automatic_plan<>> all(budgets.size());
    swap_planner planner(flow, training, options, hears);
    std::vector<operation_index> known;
    automatic_plan<> const* smaller = nullptr;
    for (auto const k : order) {
        all[k] = planner.plan(budgets[k], known, smaller);
        smaller = &all[k];
    }
    return all;
}

}  // namespace repebble::inline v0::detail

#endif
