#ifndef REPEBBLE_RECOMPUTE_GREEDY_EVICTION_HPP
#define REPEBBLE_RECOMPUTE_GREEDY_EVICTION_HPP

// Dynamic tensor rematerialization (Kirisame et al. 2021) as an offline strategy: the training graph runs in its order
// and evicts values by a score whenever the next operation does not fit. `detail/eviction_state.hpp` has the score and
// the simulation; this file has the budget and the bisection for the least budget that works.

#include <cstddef>
#include <optional>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/never_stop.hpp>
#include <repebble/graph/optional_budget.hpp>
#include <repebble/graph/training/problem.hpp>
#include <repebble/recompute/detail/budget_options.hpp>
#include <repebble/recompute/planning_graph.hpp>
#include <repebble/recompute/recompute_plan.hpp>

namespace repebble::inline v0 {

namespace detail {

inline constexpr std::size_t most_steps_of_eviction = 200'000;

/// On a graph that is contracted already. From when stop() returns true on, no other budget is tried.
[[nodiscard]] auto evict_greedily(planning_graph const& graph, budget_options const& options,
                                  std::size_t step_limit = most_steps_of_eviction, stop_test stop = never_stop{})
    -> std::optional<recompute_plan<>>;

}  // namespace detail

/// Plan by greedy eviction. The training graph runs in its order. Where the next operation does not fit, forward values
/// are evicted, least score first: recomputation time, including that of the evicted neighbourhood, per byte and per
/// time since the last use. An evicted value is recomputed where it is read. Gradients stay resident.
///
/// Without a budget, or for `nearest`, returns the plan of the least budget at which this succeeds, by bisection.
/// Returns nothing where no victim is left or more than `limits.work` (200,000) computations are needed. From the end
/// of `limits` on no other budget is tried. O(evictions · (n + m) · n) in the worst case.
[[nodiscard]] auto greedy_eviction(problem const& p, optional_budget budget = {}, strategy_options const& options = {})
    -> std::optional<recompute_plan<>>;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/recompute/greedy_eviction.ipp>
#endif

#endif
