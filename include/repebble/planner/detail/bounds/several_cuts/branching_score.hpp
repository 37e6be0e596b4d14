#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_BRANCHING_SCORE_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_BRANCHING_SCORE_HPP

// Branching scores of `multi_cut_search`: how much a relaxed solution undercounts. The relaxation counts an operation
// once that runs in several intervals, unless a decision tells that it must run in each; the value or the run to which
// most of the undercounted time is due is branched on.

#include <cstdint>
#include <optional>

#include <repebble/planner/detail/bounds/several_cuts/branching_decisions.hpp>
#include <repebble/planner/detail/bounds/several_cuts/multi_cut_relaxation.hpp>
#include <repebble/planner/detail/bounds/several_cuts/propagation.hpp>

namespace repebble::inline v0::detail {

/// The time that a relaxed solution undercounts, and the branching candidates to which most of it is due.
struct branching_score {
    std::int64_t gap = 0;
    std::int64_t value_gap = 0;                  ///< largest part due to one undecided value that is not kept
    std::optional<checkpoint_decision> value{};  ///< that one
    std::int64_t run_gap = 0;                    ///< largest part due to one undecided run
    std::optional<interval_run> run{};           ///< that one
    std::optional<checkpoint_decision>
        open{};  ///< an undecided output of an operation that the solution runs against a decision
};

/// Scores a solution of the relaxation `chain`.  O(cuts · (n + m)).
[[nodiscard]] auto score_of(propagation const& decided, multi_cut_relaxation const& chain,
                            multi_cut_relaxation::answer const& chosen) -> branching_score;

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/bounds/several_cuts/branching_score.ipp>
#endif

#endif
