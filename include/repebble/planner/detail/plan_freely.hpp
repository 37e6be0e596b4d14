#ifndef REPEBBLE_PLANNER_DETAIL_PLAN_FREELY_HPP
#define REPEBBLE_PLANNER_DETAIL_PLAN_FREELY_HPP

// Plans for several budgets without policies, with or without copies to the host: budgets in ascending order, each plan
// a start of the next; then bounds of larger budgets pass on to smaller ones.

#include <cstddef>
#include <span>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/graph/training/value_policies.hpp>
#include <repebble/planner/automatic_plan.hpp>
#include <repebble/planner/detail/model/listener.hpp>
#include <repebble/planner/plan_options.hpp>

namespace repebble::inline v0::detail {

/// The numbers of the budgets, the smallest budget first.
[[nodiscard]] auto ascending(std::span<bytes const> budgets) -> std::vector<std::size_t>;

/// Bounds of each budget, and proofs that there is no plan, hold for all smaller ones. `ascending`: as above.
void raise_smaller_bounds(std::vector<automatic_plan<>>& all, std::span<std::size_t const> ascending);

/// The options of a search that ends at the first plan, with little work and without seconds.
[[nodiscard]] auto for_any_plan(plan_options options) -> plan_options;

/// As `plan_for_budgets`, whatever the policies of the options. `marks`: values that must be kept are not copied; null:
/// there are none. A plan that options `for_any_plan` find within a budget is found with all others, too: more work is
/// other work, which might miss it.
[[nodiscard]] auto plan_freely(dataflow const& flow, training_graph const* training, std::span<bytes const> budgets,
                               plan_options const& options, listener const& hears, policy_marks const* marks = nullptr)
    -> std::vector<automatic_plan<>>;

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/plan_freely.ipp>
#endif

#endif
