#ifndef REPEBBLE_RECOMPUTE_GREEDY_EVICTION_HPP
#define REPEBBLE_RECOMPUTE_GREEDY_EVICTION_HPP

// Dynamic tensor rematerialization (Kirisame et al. 2021) as an offline strategy: the training graph runs in its order
// and evicts values by a score whenever the next operation does not fit. `detail/eviction_state.hpp` has the score and
// the simulation; this file has the budget and the bisection for the least budget that works.

#include <cstddef>
#include <optional>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/never_stop.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/recompute/budget_options.hpp>
#include <repebble/recompute/detail/on_forward_graphs.hpp>
#include <repebble/recompute/planning_graph.hpp>
#include <repebble/recompute/recompute_plan.hpp>

namespace repebble::inline v0 {

namespace detail {

struct greedy_eviction_fn : on_forward_graphs<greedy_eviction_fn, budget_options> {
    using on_forward_graphs<greedy_eviction_fn, budget_options>::operator();

    static constexpr std::size_t default_step_limit = 200'000;

    [[nodiscard]] auto operator()(training_graph const& training, budget_options const& options = {},
                                  std::size_t step_limit = default_step_limit) const
        -> std::optional<recompute_plan<>> {
        return (*this)(planning_graph(training), options, step_limit);
    }
    /// On a graph that is contracted already. From when stop() returns true on, no eviction is made.
    [[nodiscard]] auto operator()(planning_graph const& graph, budget_options const& options = {},
                                  std::size_t step_limit = default_step_limit, stop_test stop = never_stop{}) const
        -> std::optional<recompute_plan<>>;
};

}  // namespace detail

/// Plan by greedy eviction. The training graph runs in its order. Where the next operation does not fit, forward values
/// are evicted, least score first: recomputation time, including that of the evicted neighbourhood, per byte and per
/// time since the last use. An evicted value is recomputed where it is read. Gradients stay resident.
///
/// Takes a training graph and options, or any forward graph with a budget. Without a budget, or for `nearest`, returns
/// the plan of the least budget at which this succeeds, by bisection. Returns nothing where no victim is left or more
/// than `step_limit` computations are needed. O(evictions · (n + m) · n) in the worst case.
inline constexpr detail::greedy_eviction_fn greedy_eviction{};

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/recompute/greedy_eviction.ipp>
#endif

#endif
