#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_ONE_CUT_CUT_SEARCH_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_ONE_CUT_CUT_SEARCH_HPP

// Branch and bound at one cut, best bound first: `cut_relaxation` bounds, branching keeps or excludes the largest value
// on which the two neighbours of the capacity differ. Also the choice of byte units. The bound by one cut and the
// primal heuristics in starts/ use it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/detail/branch_and_bound.hpp>
#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/never_stop.hpp>
#include <repebble/planner/detail/bounds/one_cut/cut_relaxation.hpp>
#include <repebble/planner/detail/bounds/one_cut/first_run_cut.hpp>

namespace repebble::inline v0::detail {

/// Returns a choice within `capacity` bytes, no slower than `fits`, by leaving out recomputations that `fits` has and
/// `beyond` has not: runs of such operations in the model's order, long runs first. is_allowed(choice) may reject.
/// Looks at most at `tries` choices.  O(tries · (n + m)).  Requires: `fits` is within the capacity.
template <class IsAllowed>
[[nodiscard]] auto fill_capacity(first_run_cut const& cut, checkpoint_choice fits, checkpoint_choice const& beyond,
                                 bytes capacity, std::size_t tries, IsAllowed&& is_allowed) -> checkpoint_choice {
    std::vector<operation_index> left;
    for (auto const v : cut.model().order)
        if (fits.recomputed[v] != 0 && beyond.recomputed[v] == 0) left.push_back(v);
    auto recomputed = fits.recomputed;
    for (auto length = left.size(); length > 0 && tries > 0; length /= 2) {
        for (std::size_t begin = 0; begin < left.size() && tries > 0; begin += length, --tries) {
            auto const end = std::min(left.size(), begin + length);
            auto fewer = recomputed;
            for (auto k = begin; k < end; ++k) fewer[left[k]] = 0;
            auto c = choice_of(cut, [&](operation_index p) { return fewer[p] != 0; });
            if (c.size > capacity || c.time >= fits.time || !is_allowed(c)) continue;
            recomputed = c.recomputed;
            fits = std::move(c);
        }
        std::erase_if(left, [&](operation_index v) { return recomputed[v] == 0; });
    }
    return fits;
}

/// Returns byte units of which most sizes are multiples: large sizes, and their integer parts. Where there are more
/// than `most`, those of the sizes with most bytes in all, and largest parts first.
[[nodiscard]] auto byte_units(planning_model const& m, std::size_t most = std::numeric_limits<std::size_t>::max())
    -> std::vector<bytes>;

/// Branch and bound over the choices at one cut that agree with the given decisions.
class cut_search {
  public:
    cut_search(first_run_cut const& cut, bytes budget) : cut_search(cut, budget, never_stop{}) {}
    cut_search(first_run_cut const& cut, bytes budget, stop_test stop, std::vector<cut_decision> given = {})
        : cut_(cut), budget_(budget), given_(std::move(given)) {
        evaluate(given_, 0, stop);
    }

    /// False: no schedule is within the budget.
    [[nodiscard]] auto feasible() const -> bool { return feasible_; }
    /// Lower bound on the overhead of schedules within the budget.
    [[nodiscard]] auto bound() const -> std::int64_t {
        return feasible_ ? std::max(bound_, std::min(subproblems_.bound(), best_time())) : bound_;
    }
    /// The best choice within the capacity so far.
    [[nodiscard]] auto best() const -> std::optional<checkpoint_choice> const& { return best_; }
    [[nodiscard]] auto is_solved() const -> bool { return subproblems_.is_solved(best_time()); }

    [[nodiscard]] auto unit() const noexcept -> bytes { return unit_; }

    /// Restarts with the unit of the best root bound, if that is better, until `stop()` returns true.  O(units ·
    /// flows).
    void choose_unit(std::vector<bytes> const& units, stop_test stop);
    /// Branches on so many subproblems, or until `stop()` returns true.
    void branch(std::size_t parts, stop_test stop);

  private:
    static constexpr auto none = std::numeric_limits<std::int64_t>::max();

    struct subproblem {
        std::int64_t bound;
        value_index next;  // value to branch on
        std::vector<cut_decision> decisions;
    };

    [[nodiscard]] auto best_time() const -> std::int64_t { return best_ ? best_->time : none; }
    void offer(std::optional<checkpoint_choice> const& c) {
        if (c && c->time < best_time() && c->size <= cut_.capacity(budget_)) best_ = c;
    }
    /// Offers choices between both neighbours of the capacity at the root.
    void fill(cut_relaxation::result const& r);
    void evaluate(std::vector<cut_decision> decisions, std::int64_t at_least, stop_test stop);
    /// Returns the largest value on which both neighbours of the capacity differ, or the largest that is kept; nothing
    /// where every kept value is decided, so that the subproblem has one choice only.
    [[nodiscard]] auto branching_value(cut_relaxation::result const& r,
                                       std::vector<cut_decision> const& decisions) const -> std::optional<value_index>;

    first_run_cut const& cut_;
    bytes budget_, unit_ = 1;
    std::vector<cut_decision> given_;
    bool feasible_ = true;
    std::int64_t bound_ = 0;
    std::optional<checkpoint_choice> best_;
    branch_and_bound<subproblem> subproblems_;
};

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/bounds/one_cut/cut_search.ipp>
#endif

#endif
