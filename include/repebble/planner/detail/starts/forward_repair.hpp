#ifndef REPEBBLE_PLANNER_DETAIL_STARTS_FORWARD_REPAIR_HPP
#define REPEBBLE_PLANNER_DETAIL_STARTS_FORWARD_REPAIR_HPP

// Primal heuristics. Forward repair: the first step that exceeds the budget becomes a cut with a fixed prefix
// (`first_run_cut`), its checkpoints are chosen anew, and the rest is recomputed on demand; then the next such step.
// Repair by forcing: the choice at a cut is solved again with the values forced whose recomputation exceeded the
// budget.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/planner/detail/bounds/one_cut/first_run_cut.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>

namespace repebble::inline v0::detail {

/// Returns the operation at the peak, where that exceeds the budget and the operation is recomputed there; else
/// nothing.
[[nodiscard]] auto violated_recomputation(planning_model const& m, std::span<operation_index const> computations,
                                          bytes budget) -> std::optional<operation_index>;

/// Returns the sequence of the best choice within `share` of the budget; as long as a recomputation exceeds the budget,
/// its outputs are kept at the cut by decision, in at most `rounds` rounds, counted down, or until `stop()` returns
/// true. It need not fit the budget; nothing where there is none. first(sequence) is called with the one without
/// decisions.  O(rounds · (n + m + flows)).
[[nodiscard]] auto repair_by_forcing(first_run_cut const& cut, bytes budget, bytes share, std::size_t limit,
                                     std::size_t& rounds, function_ref<void(std::vector<operation_index> const&)> first,
                                     stop_test stop) -> std::optional<std::vector<operation_index>>;

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

/// Whether every value has one producer, and every operation is required.
[[nodiscard]] inline auto can_repair_forward(planning_model const& m) -> bool {
    bool can = std::ranges::all_of(m.required, std::identity{});
    for (value_index x = 0; x < m.value_count(); ++x) can = can && m.producers[x].size() == 1;
    return can;
}

/// Calls offer(sequence) for each sequence within the budget, at most two for each share, and before that
/// visit(sequence) for the unrepaired one, until `rounds` are used up or `stop()` returns true.  Requires:
/// can_repair_forward(m).
void forward_repair_starts(planning_model const& m, bytes budget, std::span<operation_index const> cuts,
                           std::size_t rounds, function_ref<void(std::vector<operation_index> const&)> visit,
                           function_ref<void(std::vector<operation_index>)> offer, stop_test stop);

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/starts/forward_repair.ipp>
#endif

#endif
