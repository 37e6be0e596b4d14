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
#include <repebble/detail/sort_by.hpp>
#include <repebble/planner/detail/bounds/one_cut/cut_search.hpp>
#include <repebble/planner/detail/bounds/one_cut/sequence_of_cuts.hpp>
#include <repebble/planner/detail/model/effort.hpp>

namespace repebble::inline v0::detail {

/// The candidate cut with the largest bound on the overhead, its search, and the sequence of its best choice.
class best_cut_bound {
  public:
    /// Tries the cuts of these operations, all or until `stop()` returns true, but at least one.  O(cuts · flows).
    /// Requires: the operations are required.
    best_cut_bound(planning_model const& m, bytes budget, std::span<operation_index const> operations,
                   stop_test stop = never_stop{}) {
        for (auto const v : operations) {
            if (cut_ && stop()) break;
            first_run_cut cut(m, v);
            auto const r = cut_relaxation(cut, budget, 1, {})
                               .solve(std::numeric_limits<std::int64_t>::max(), cut_ ? first_bound_ : -1, stop);
            if (!r.feasible) {
                infeasible_at_ = v;
                return;
            }
            by_bound_.emplace_back(r.bound, v);
            if (cut_ && r.bound <= first_bound_) continue;
            first_bound_ = r.bound;
            cut_.emplace(std::move(cut));
        }
        sort_by(by_bound_, [](auto const& a, auto const& b) { return a.first > b.first; });
        if (cut_) search_.emplace(*cut_, budget, stop);
    }
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
    [[nodiscard]] auto forgetful_computations(std::size_t limit) const -> std::optional<std::vector<operation_index>> {
        if (!search_) return std::nullopt;
        auto const& m = cut_->model();
        auto const nothing_kept =
            choice_of(*cut_, [&](operation_index v) { return m.operations[v].recomputable || !cut_->is_before(v); });
        return sequence_of_cuts(*cut_, nothing_kept, recomputed_until::next_use, limit);
    }
    /// Branches on so many subproblems, or until `stop()` returns true.
    void improve(std::size_t parts, stop_test stop) {
        if (!search_ || is_solved()) return;
        auto const n = cut_->model().operation_count();
        if (!has_unit_)
            search_->choose_unit(byte_units(cut_->model(), std::max(effort::least_units, effort::unit_work / (n + 1))),
                                 stop);
        has_unit_ = true;
        search_->branch(parts, stop);
    }

  private:
    std::optional<first_run_cut> cut_;
    std::optional<cut_search> search_;
    std::vector<std::pair<std::int64_t, operation_index>> by_bound_;
    std::int64_t first_bound_ = 0;
    std::optional<operation_index> infeasible_at_;
    bool has_unit_ = false;
};

}  // namespace repebble::inline v0::detail

#endif
