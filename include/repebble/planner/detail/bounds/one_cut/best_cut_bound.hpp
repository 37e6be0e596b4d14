#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_ONE_CUT_BEST_CUT_BOUND_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_ONE_CUT_BEST_CUT_BOUND_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/never_stop.hpp>
#include <repebble/planner/detail/bounds/one_cut/cut_search.hpp>
#include <repebble/planner/detail/bounds/one_cut/sequence_of_cuts.hpp>
#include <repebble/planner/detail/model/effort.hpp>

namespace repebble::inline v0::detail {

/// The moment of all that are tried that says most about the time of schedules within a budget, and what it says: a
/// lower bound, and computations that reach it, if nothing else is in the way.
class best_cut_bound {
  public:
    /// Tries the moments of these operations, or as many as it can until `stop()` says so, but the first.  O(moments ·
    /// flows).  Requires: they run in every schedule.
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
        std::ranges::stable_sort(by_bound_, std::greater<>{}, &std::pair<std::int64_t, operation_index>::first);
        if (cut_) search_.emplace(*cut_, budget, stop);
    }
    best_cut_bound(best_cut_bound const&) = delete;  // the search refers to the cut
    auto operator=(best_cut_bound const&) -> best_cut_bound& = delete;

    /// An operation beside which too much must be kept in every schedule, where there is one: nothing fits.
    [[nodiscard]] auto infeasible_at() const -> std::optional<operation_index> { return infeasible_at_; }
    /// The operation whose moment it is.
    [[nodiscard]] auto moment() const -> std::optional<operation_index> {
        return cut_ ? std::optional(cut_->at()) : std::nullopt;
    }
    /// All that were tried, those first that say most, or nearly so.
    [[nodiscard]] auto moments() const -> std::vector<operation_index> {
        std::vector<operation_index> all;
        for (auto const& [bound, v] : by_bound_) all.push_back(v);
        return all;
    }
    /// No schedule within the budget takes less than this above everything once.
    [[nodiscard]] auto bound() const -> std::int64_t { return search_ ? std::max(first_bound_, search_->bound()) : 0; }
    /// More than this the bound will never be.
    [[nodiscard]] auto most() const -> std::int64_t {
        return search_ && search_->best() ? std::max(first_bound_, search_->best()->time)
                                          : std::numeric_limits<std::int64_t>::max();
    }
    [[nodiscard]] auto is_solved() const -> bool { return !search_ || search_->is_solved(); }
    /// In which its search counts bytes.
    [[nodiscard]] auto unit() const -> bytes { return search_ ? search_->unit() : 1; }
    /// By the best choice so far at that moment; nothing where none was met.
    [[nodiscard]] auto computations() const -> std::optional<std::vector<operation_index>> {
        if (!search_ || !search_->best()) return std::nullopt;
        return sequence_of_cuts(*cut_, *search_->best());
    }
    /// The fewest bytes that one can hold there, whatever that takes: nothing where it takes more than `limit`
    /// computations.
    [[nodiscard]] auto forgetful_computations(std::size_t limit) const -> std::optional<std::vector<operation_index>> {
        if (!search_) return std::nullopt;
        auto const& m = cut_->model();
        auto const nothing_kept =
            choice_of(*cut_, [&](operation_index v) { return m.operations[v].recomputable || !cut_->is_before(v); });
        return sequence_of_cuts(*cut_, nothing_kept, recomputed_until::next_use, limit);
    }
    /// Divides as many parts of the search, or until `stop()` says so.
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
