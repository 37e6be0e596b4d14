#ifndef REPEBBLE_PLANNER_DETAIL_STARTS_FORWARD_REPAIR_HPP
#define REPEBBLE_PLANNER_DETAIL_STARTS_FORWARD_REPAIR_HPP

// A primal heuristic: forward repair. The first step that exceeds the budget becomes a cut with a fixed prefix
// (`first_run_cut`), its checkpoints are chosen anew, and the rest is recomputed on demand; then the next such step.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>

namespace repebble::inline v0::detail {

/// Returns, by value, whether it is resident right before a step, or can be without more bytes before it.  O(sum of
/// reads and writes).
[[nodiscard]] auto resident_before(planning_model const& m, std::span<operation_index const> computations,
                                   std::size_t step) -> std::vector<bool>;

/// Returns a sequence within the budget; nothing where a step has no feasible choice, where it exceeds `limit` steps or
/// the rounds of one repair, where `rounds` are used up, or where `stop()` returns true.  O(rounds · (n + flows)).
/// Requires: can_repair_forward(m).
[[nodiscard]] auto forward_repair(planning_model const& m, std::vector<operation_index> computations, bytes budget,
                                  std::size_t limit, std::size_t& rounds, stop_test stop)
    -> std::optional<std::vector<operation_index>>;

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/starts/forward_repair.ipp>
#endif

#endif
