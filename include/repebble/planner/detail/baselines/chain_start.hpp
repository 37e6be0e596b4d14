#ifndef REPEBBLE_PLANNER_DETAIL_BASELINES_CHAIN_START_HPP
#define REPEBBLE_PLANNER_DETAIL_BASELINES_CHAIN_START_HPP

// `chain_plan` as a start of the planner, for networks that are chains of small blocks: residual networks and
// transformers. Elsewhere stages are a poor model and take long.

#include <optional>
#include <span>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/never_stop.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/recompute/chain_plan.hpp>
#include <repebble/recompute/planning_graph.hpp>
#include <repebble/recompute/recompute_plan.hpp>

namespace repebble::inline v0::detail {

/// Returns the best plan of a chain of blocks within the budget, with stages of one block or two; nothing for training
/// graphs that are no such chain. From when stop() returns true on, no other stages are tried.
[[nodiscard]] inline auto chain_start(planning_graph const& graph, bytes budget, stop_test stop = never_stop{})
    -> std::optional<recompute_plan<>> {
    if (!is_chain_of_blocks(graph)) return std::nullopt;
    chain_request const asked{{.most_cuts = 2}, budget};
    return plan_by_stages(graph, asked, std::span(&asked.candidates, 1), stop);
}

}  // namespace repebble::inline v0::detail

#endif
