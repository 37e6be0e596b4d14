#ifndef REPEBBLE_PLANNER_DETAIL_BASELINES_CHAIN_START_HPP
#define REPEBBLE_PLANNER_DETAIL_BASELINES_CHAIN_START_HPP

#include <algorithm>
#include <cstddef>
#include <optional>

#include <repebble/graph/quantity.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/recompute/chain_plan.hpp>
#include <repebble/recompute/detail/chain_stages/graph_as_chain.hpp>
#include <repebble/recompute/mirror_counts.hpp>
#include <repebble/recompute/planning_graph.hpp>
#include <repebble/recompute/recompute_plan.hpp>
#include <repebble/recompute/segment_cuts.hpp>

namespace repebble::detail {

/// Whether the forward pass is a chain of many small blocks between articulation points, as that of a residual network
/// or a transformer is: so few operations in each that the ways in which one may save are soon told.
template <quantity Time>
[[nodiscard]] auto is_chain_of_blocks(planning_graph<Time> const& graph) -> bool {
    constexpr std::size_t fewest_blocks = 8, largest_block = 16;
    auto const order = ordered_numbers(graph, forward_order::by_index);
    auto const ends =
        stage_ends<Time>(graph, order, segment_cuts<Time>(graph, order).at(cut_points::articulation_points));
    if (ends.size() < fewest_blocks || ends.front() > largest_block || order.size() - 1 - ends.back() > largest_block)
        return false;
    return std::ranges::adjacent_find(ends, [](auto a, auto b) { return b - a > largest_block; }) == ends.end();
}

/// The best plan of a chain of blocks within the budget: each block runs by itself, or two at a time. Nothing for
/// training graphs that are something else, where stages are a poor model and take long.
template <quantity Time>
[[nodiscard]] auto chain_start(training_graph<Time> const& training, bytes budget)
    -> std::optional<recompute_plan<Time>> {
    planning_graph<Time> const graph(training);
    if (!is_chain_of_blocks(graph)) return std::nullopt;
    return chain_plan(graph, {.budget = budget, .most_cuts = 2});
}

}  // namespace repebble::detail

#endif
