#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_CLAUSES_TIGHTEST_CUTS_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_CLAUSES_TIGHTEST_CUTS_HPP

// Selects the chain of cuts for the MaxSAT bound: a longest path over tight cuts in the dependency graph.

#include <cstddef>
#include <vector>

#include <repebble/planner/detail/bounds/one_cut/first_run_cut.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>

namespace repebble::inline v0::detail {

/// Returns the longest chain of cuts, each after the one before in every schedule, that leave at most three quarters of
/// the budget for checkpoints; of a longer chain than `most` the tightest cuts.  O(n + m), and O(n + m) for each cut.
[[nodiscard]] auto tightest_cuts(planning_model const& m, bytes budget, std::size_t most) -> std::vector<first_run_cut>;

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/bounds/clauses/tightest_cuts.ipp>
#endif

#endif
