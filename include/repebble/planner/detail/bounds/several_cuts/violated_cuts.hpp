#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_VIOLATED_CUTS_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_VIOLATED_CUTS_HPP

// Candidate cuts from a relaxed solution: first runs at which its sequence exceeds the budget (separation).

#include <span>
#include <vector>

#include <repebble/planner/detail/model/planning_model.hpp>

namespace repebble::inline v0::detail {

/// Returns the required operations at whose first runs the sequence exceeds the budget, largest resident bytes first.
/// O(k log k) for k steps, and their reads and writes.  Requires: each operation comes after producers of its inputs.
[[nodiscard]] auto violated_cuts(planning_model const& m, std::span<operation_index const> computations, bytes budget)
    -> std::vector<operation_index>;

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/bounds/several_cuts/violated_cuts.ipp>
#endif

#endif
