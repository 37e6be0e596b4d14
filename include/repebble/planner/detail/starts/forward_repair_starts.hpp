#ifndef REPEBBLE_PLANNER_DETAIL_STARTS_FORWARD_REPAIR_STARTS_HPP
#define REPEBBLE_PLANNER_DETAIL_STARTS_FORWARD_REPAIR_STARTS_HPP

// Start sequences of the annealing by both repairs, for a few cuts and shares of the budget.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>

namespace repebble::inline v0::detail {

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
#include <repebble/impl/planner/starts/forward_repair_starts.ipp>
#endif

#endif
