#ifndef REPEBBLE_PIPELINES_PIPELINE_BOUNDS_HPP
#define REPEBBLE_PIPELINES_PIPELINE_BOUNDS_HPP

// What no schedule of a pipeline can beat: makespans for one order and for any, and the least bytes of each rank. The
// README of the component has the formulas, and why they hold.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <repebble/graph/quantity.hpp>
#include <repebble/pipelines/pipeline.hpp>
#include <repebble/pipelines/pipeline_schedule.hpp>

namespace repebble::inline v0 {

/// The bytes of each rank by the choices that need least. With fewer on any rank no choices fit these orders.
/// Requires: `verify_pipeline` accepts the orders.  O(passes · microbatches in flight).
[[nodiscard]] auto find_least_bytes(pipeline const& p, pass_orders const& orders) -> std::vector<bytes>;
/// The same of any order: those of one microbatch after the other.
[[nodiscard]] auto find_least_bytes(pipeline const& p) -> std::vector<bytes>;

/// The bytes of each rank with everything kept of as many microbatches as there are ranks, or of all where these are
/// fewer: what 1F1B takes on its first rank, and 100 % of budgets.  O(stages²).
/// Requires: `check_pipeline` accepts it.
[[nodiscard]] auto find_bytes_to_keep_all(pipeline const& p) -> std::vector<bytes>;

/// A time that no choices within the budgets are below, with this order; nothing where none fit. The longest path with
/// nothing computed again; and for each rank and each of its passes a: the earliest begin of a, all passes from there
/// on, the least time to be computed again during them, and what must follow the last. The least time is a sum over
/// moments of which no two see the same microbatch of a stage: at each the linear relaxation of the knapsack of what is
/// there, which can be solved greedily (Dantzig 1957).
/// Requires: `verify_pipeline` accepts the order, a budget for each rank.  O(passes · in flight · log in flight).
[[nodiscard]] auto find_order_bound(pipeline const& p, pass_orders const& orders, std::span<bytes const> budgets)
    -> std::optional<std::int64_t>;

/// A time that no schedule within the budgets is below, whatever its order; nothing where none exists. The path of one
/// microbatch, and for each rank: its work behind the first forward passes that lead to it; the bytes of all
/// microbatches times the least time that they are there, which the budget times the makespan contains, by Lagrangian
/// relaxation together with the work; and what memory lets a rank do before its first gradients arrive.
/// Requires: a budget for each rank.  O(choices).  Throws as `check_pipeline`.
[[nodiscard]] auto find_pipeline_bound(pipeline const& p, std::span<bytes const> budgets)
    -> std::optional<std::int64_t>;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/pipelines/pipeline_bounds.ipp>
#endif

#endif
