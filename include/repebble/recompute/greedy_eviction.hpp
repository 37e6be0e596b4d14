#ifndef REPEBBLE_RECOMPUTE_GREEDY_EVICTION_HPP
#define REPEBBLE_RECOMPUTE_GREEDY_EVICTION_HPP

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/graph/training/training_graph.hpp>
#include <repebble/lower_sets/objective.hpp>
#include <repebble/pebbling/liveness.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/recompute/detail/eviction_state.hpp>
#include <repebble/recompute/detail/on_forward_graphs.hpp>
#include <repebble/recompute/planning_graph.hpp>
#include <repebble/recompute/recompute_plan.hpp>
#include <repebble/recompute/strategy_options.hpp>

namespace repebble::inline v0 {

namespace detail {

struct greedy_eviction_fn : on_forward_graphs<greedy_eviction_fn> {
    using on_forward_graphs<greedy_eviction_fn>::operator();

    static constexpr std::size_t default_step_limit = 200'000;

    /// Of the options it heeds the budget, the goal and `nearest`.
    template <quantity Time>
    [[nodiscard]] auto operator()(training_graph<Time> const& training, strategy_options const& options = {},
                                  std::size_t step_limit = default_step_limit) const
        -> std::optional<recompute_plan<Time>> {
        planning_graph<Time> const graph(training);
        auto const& flow = graph.flow();
        auto const within = [&](bytes budget) -> std::optional<schedule<>> {
            auto const computations = eviction_state<Time>(graph, budget, step_limit).play();
            if (!computations) return std::nullopt;
            auto plan = liveness(flow, *computations);
            if (replay(flow, plan).peak > budget) return std::nullopt;
            return plan;
        };
        std::optional<schedule<>> best;
        if (options.budget && options.goal == objective::time) {
            best = within(*options.budget);
            if (best || !options.nearest) return best ? std::optional(plan_of(graph, *best)) : std::nullopt;
        }
        best = liveness(flow);
        bytes high = replay(flow, *best).peak;
        for (bytes low = 0; low < high;) {
            bytes const budget = low + (high - low) / 2;
            if (auto found = within(budget)) {
                high = std::min(budget, replay(flow, *found).peak);
                best = std::move(found);
            } else {
                low = budget + 1;
            }
        }
        if (options.budget && high > *options.budget && !options.nearest) return std::nullopt;
        return plan_of(graph, *best);
    }
};

}  // namespace detail

/// Dynamic tensor rematerialization (Kirisame et al. 2021), planned ahead: the training graph runs in its order, and
/// where the next operation does not fit, forward values are evicted, those first that cost the least time per byte and
/// per time since their last use, the time of the evicted neighbourhood counted in. What was evicted is computed again
/// where it is read. Gradients stay. Without a budget, or for `nearest`, the least budget at which that succeeds, by
/// bisection. Takes a training graph and options, or any forward graph with a budget. Nothing where it gets stuck, or
/// needs more than `step_limit` computations.  O(evictions · (n + m) · n) at worst.
inline constexpr detail::greedy_eviction_fn greedy_eviction{};

}  // namespace repebble::inline v0

#endif
