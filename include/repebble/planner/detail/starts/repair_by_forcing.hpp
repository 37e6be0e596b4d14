#ifndef REPEBBLE_PLANNER_DETAIL_STARTS_REPAIR_BY_FORCING_HPP
#define REPEBBLE_PLANNER_DETAIL_STARTS_REPAIR_BY_FORCING_HPP

// A primal heuristic: repair by forcing. The choice at a cut is solved again with the values forced whose recomputation
// exceeded the budget.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <repebble/detail/function_ref.hpp>
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

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/starts/repair_by_forcing.ipp>
#endif

#endif
