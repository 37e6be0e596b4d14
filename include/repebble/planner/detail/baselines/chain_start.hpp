#ifndef REPEBBLE_PLANNER_DETAIL_BASELINES_CHAIN_START_HPP
#define REPEBBLE_PLANNER_DETAIL_BASELINES_CHAIN_START_HPP

#include <optional>

#include <repebble/graph/quantity.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/recompute/chain_plan.hpp>
#include <repebble/recompute/planning_graph.hpp>
#include <repebble/recompute/recompute_plan.hpp>

namespace repebble::inline v0::detail {

/// The best plan of a chain of blocks within the budget: each block runs by itself, or two at a time. Nothing for
/// training graphs that are something else, where stages are a poor model and take long.
template <quantity Time>
[[nodiscard]] auto chain_start(training_graph<Time> const& training, bytes budget)
    -> std::optional<recompute_plan<Time>> {
    planning_graph<Time> const graph(training);
    if (!is_chain_of_blocks(graph)) return std::nullopt;
    return chain_plan(graph, {.budget = budget, .most_cuts = 2});
}

}  // namespace repebble::inline v0::detail

#endif
