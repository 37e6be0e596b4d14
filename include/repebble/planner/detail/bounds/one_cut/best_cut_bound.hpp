#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_ONE_CUT_BEST_CUT_BOUND_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_ONE_CUT_BEST_CUT_BOUND_HPP

// The best lower bound by one cut: the root relaxation at each candidate cut, then byte units and branch and bound at
// the cut with the largest bound. The planner's first bound; its optimal choice is a start of the annealing.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/never_stop.hpp>
#include <repebble/planner/detail/bounds/one_cut/cut_search.hpp>
#include <repebble/planner/detail/bounds/one_cut/sequence_of_cuts.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>

namespace repebble::inline v0::detail {

/// Returns up to `most` required operations by descending resident bytes beside them in the model's order.  O(n log
/// n + sum of reads and writes).
[[nodiscard]] auto tight_operations(planning_model const& m, std::size_t most) -> std::vector<operation_index>;

/// The candidate cut with the largest bound on the overhead, its search, and the sequence of its best choice.
class best_cut_bound {
  public:
    /// Tries the cuts of these operations, all or until `stop()` returns true, but at least one.  O(cuts · flows).
    /// Requires: the operations are required.
    best_cut_bound(planning_model const& m, bytes budget, std::span<operation_index const> operations,
                   stop_test stop = never_stop{});
    best_cut_bound(best_cut_bound const&) = delete;  // the search refers to the cut
    auto operator=(best_cut_bound const&) -> best_cut_bound& = delete;

    /// An operation at whose cut no choice fits, where there is one: then no schedule is within the budget.
    [[nodiscard]] auto infeasible_at() const -> std::optional<operation_index> { return infeasible_at_; }
    /// The operation of the best cut.
    [[nodiscard]] auto at() const -> std::optional<operation_index> {
        return cut_ ? std::optional(cut_->at()) : std::nullopt;
    }
    /// The operations of all cuts that were tried, by descending root bound.
    [[nodiscard]] auto cuts() const -> std::vector<operation_index> {
        std::vector<operation_index> all;
        for (auto const& [bound, v] : by_bound_) all.push_back(v);
        return all;
    }
    /// Lower bound on the overhead of schedules within the budget.
    [[nodiscard]] auto bound() const -> std::int64_t { return search_ ? std::max(first_bound_, search_->bound()) : 0; }
    /// Upper limit of the bound: the time of the best choice.
    [[nodiscard]] auto most() const -> std::int64_t {
        return search_ && search_->best() ? std::max(first_bound_, search_->best()->time)
                                          : std::numeric_limits<std::int64_t>::max();
    }
    [[nodiscard]] auto is_solved() const -> bool { return !search_ || search_->is_solved(); }
    /// The byte unit of its search.
    [[nodiscard]] auto unit() const -> bytes { return search_ ? search_->unit() : 1; }
    /// The sequence of the best choice so far; nothing where there is none.
    [[nodiscard]] auto computations() const -> std::optional<std::vector<operation_index>> {
        if (!search_ || !search_->best()) return std::nullopt;
        return sequence_of_cuts(*cut_, *search_->best());
    }
    /// The sequence that keeps nothing recomputable across the cut; nothing where it has more than `limit` steps.
    [[nodiscard]] auto forgetful_computations(std::size_t limit) const -> std::optional<std::vector<operation_index>>;
    /// Branches on so many subproblems, or until `stop()` returns true.
    void improve(std::size_t parts, stop_test stop);

  private:
    std::optional<first_run_cut> cut_;
    std::optional<cut_search> search_;
    std::vector<std::pair<std::int64_t, operation_index>> by_bound_;
    std::int64_t first_bound_ = 0;
    std::optional<operation_index> infeasible_at_;
    bool has_unit_ = false;
};

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/bounds/one_cut/best_cut_bound.ipp>
#endif

#endif
