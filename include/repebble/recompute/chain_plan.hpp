#ifndef REPEBBLE_RECOMPUTE_CHAIN_PLAN_HPP
#define REPEBBLE_RECOMPUTE_CHAIN_PLAN_HPP

// Plans through the optimal schedule of a chain of stages (Beaumont et al. 2019; of general graphs: Bulatov 2018,
// "Support general graphs"). The forward pass is cut into stages (detail/chain_stages/), `solve_chain` of chains/
// solves the chain, and its schedules are replayed on the graph: the chain counts some values more than once, so its
// budgets only guide.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/never_stop.hpp>
#include <repebble/graph/optional_budget.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/graph/training/gradient_needs.hpp>
#include <repebble/graph/training/problem.hpp>
#include <repebble/graph/weights.hpp>
#include <repebble/lower_sets/objective.hpp>
#include <repebble/recompute/chain_plan_options.hpp>
#include <repebble/recompute/detail/within_budget.hpp>
#include <repebble/recompute/plan_mirrors.hpp>
#include <repebble/recompute/planning_graph.hpp>
#include <repebble/recompute/recompute_plan.hpp>
#include <repebble/recompute/segment_cuts.hpp>

namespace repebble::inline v0 {

namespace detail {

/// Whether the forward pass is a chain of at least 8 blocks of at most 16 operations between articulation points, as in
/// residual networks and transformers: blocks so small that their choices of saved values are soon enumerated.
[[nodiscard]] auto is_chain_of_blocks(planning_graph const& graph) -> bool;

using chain_request = within_budget<chain_plan_options>;

/// The best plan with stages at any of the places. From when stop() returns true on, no other stages are tried.
[[nodiscard]] auto plan_by_stages(planning_graph const& graph, chain_request const& options,
                                  std::span<segment_candidates const> places, stop_test stop)
    -> std::optional<recompute_plan<>>;

}  // namespace detail

/// The best plan by the stages of a chain. The forward pass is cut into stages at candidate vertices: by default at
/// articulation points, and where these are not enough also wherever few bytes cross a position of the orders by index
/// and depth first. Each stage runs forward and saves nothing, some or all of its values, by the exact dynamic program
/// of `solve_chain`. Its schedules are replayed on the graph, and the last on the curve that fits is returned. For
/// networks that are chains of blocks: transformers, residual and recurrent networks.
///
/// Without a budget, of the least peak. Costs as much as `solve_chain`, in bytes or in slots
/// for long chains, and some ten replays, for each length of stages tried. Returns nothing where no plan fits, or, of more
/// than 200,000 operations with a budget, where the limits end it before its first plan. Throws
/// bad_graph where there are no gradients or a candidate is no forward operation, bad_weight where there is no slot.
[[nodiscard]] auto chain_plan(problem const& p, optional_budget budget = {}, chain_plan_options const& options = {})
    -> std::optional<recompute_plan<>>;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/recompute/chain_plan.ipp>
#endif

#endif
