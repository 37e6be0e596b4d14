#ifndef REPEBBLE_RECOMPUTE_SAVE_SET_HPP
#define REPEBBLE_RECOMPUTE_SAVE_SET_HPP

// Chooses a set of saved forward values and recomputes the others once: the form of plan that partitioners of joint
// graphs make (PyTorch's, by a greedy choice). Invariant: a dropped value is recomputed at most once, so each value
// more that is dropped only adds time.

#include <cstddef>
#include <optional>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/never_stop.hpp>
#include <repebble/graph/optional_budget.hpp>
#include <repebble/graph/training/problem.hpp>
#include <repebble/graph/vertex_set.hpp>
#include <repebble/recompute/detail/budget_options.hpp>
#include <repebble/recompute/planning_graph.hpp>
#include <repebble/recompute/recompute_plan.hpp>

namespace repebble::inline v0 {

namespace detail {

/// On a graph that is contracted already. Returns nothing where stop(), asked before each plan, returns true.
[[nodiscard]] auto save_cheapest(planning_graph const& graph, budget_options const& options,
                                 stop_test stop = never_stop{}) -> std::optional<recompute_plan<>>;

}  // namespace detail

/// Plan that saves some forward values for the backward pass and recomputes each other one once, directly before the
/// first gradient that reads it. Values are dropped in ascending order of time per byte: as few as the budget needs,
/// or, without a budget, the number with the least peak. Returns nothing where none fits, or where
/// `limits` end it. Throws bad_graph where the problem has no gradients. Of more than 2000 values some numbers are
/// tried, then more around the best: another one may fit, or have a peak that is some per cent lower.
///
/// O(n) plans of O(n log n + m), of more than 2000 values some 150 plans.
[[nodiscard]] auto save_set(problem const& p, optional_budget budget = {}, strategy_options const& options = {})
    -> std::optional<recompute_plan<>>;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/recompute/save_set.ipp>
#endif

#endif
