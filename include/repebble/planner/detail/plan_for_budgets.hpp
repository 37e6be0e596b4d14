#ifndef REPEBBLE_PLANNER_DETAIL_PLAN_FOR_BUDGETS_HPP
#define REPEBBLE_PLANNER_DETAIL_PLAN_FOR_BUDGETS_HPP

// The one function behind `plan`: no template, so that it is compiled once, whatever the graph and the
// observer of the caller.

#include <span>
#include <vector>

#include <repebble/graph/training/problem.hpp>
#include <repebble/planner/automatic_plan.hpp>
#include <repebble/planner/detail/model/listener.hpp>
#include <repebble/planner/plan_options.hpp>

namespace repebble::inline v0::detail {

/// A plan for each of the budgets, in their order. Times of the options are in the caller's units.
/// Throws as `plan`.
[[nodiscard]] auto plan_for_budgets(problem const& p, std::span<bytes const> budgets, plan_options const& options,
                                    listener const& hears) -> std::vector<automatic_plan<>>;

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/plan_for_budgets.ipp>
#endif

#endif
