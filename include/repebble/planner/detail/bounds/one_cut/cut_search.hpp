#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_ONE_CUT_CUT_SEARCH_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_ONE_CUT_CUT_SEARCH_HPP

// Branch and bound at one cut, best bound first: `cut_relaxation` bounds, branching keeps or excludes the largest value
// on which the two neighbours of the capacity differ. Also the choice of byte units. The bound by one cut and the
// primal heuristics in starts/ use it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/detail/branch_and_bound.hpp>
#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/never_stop.hpp>
#include <repebble/detail/sort_by.hpp>
#include <repebble/detail/sort_unique.hpp>
#include <repebble/planner/detail/bounds/one_cut/cut_relaxation.hpp>
#include <repebble/planner/detail/bounds/one_cut/fill_capacity.hpp>
#include <repebble/planner/detail/model/effort.hpp>

namespace repebble::inline v0::detail {

/// Returns byte units of which most sizes are multiples: large sizes, and their integer parts. Where there are more
/// than `most`, those of the sizes with most bytes in all, and largest parts first.
[[nodiscard]] inline auto byte_units(planning_model const& m,
                                     std::size_t most = std::numeric_limits<std::size_t>::max()) -> std::vector<bytes> {
    constexpr std::size_t most_sizes = 24;
    constexpr bytes most_parts = 12, smallest = 200;
    std::vector<std::pair<bytes, bytes>> total;  // bytes of all values of one size, that size
    std::vector<bytes> sizes;
    for (auto const s : m.sizes)
        if (s > 0) sizes.push_back(s);
    std::sort(sizes.begin(), sizes.end());
    for (std::size_t k = 0; k < sizes.size();) {
        auto const same =
            static_cast<std::size_t>(std::upper_bound(sizes.begin(), sizes.end(), sizes[k]) - sizes.begin()) - k;
        if (sizes[k] > sizes.back() / smallest) total.emplace_back(sizes[k] * static_cast<bytes>(same), sizes[k]);
        k += same;
    }
    sort_by(total, std::greater<>{});
    if (total.size() > most_sizes) total.resize(most_sizes);
    std::vector<bytes> units{1};
    for (bytes subproblem = 1; subproblem <= most_parts; ++subproblem)
        for (auto const& [all, size] : total)
            for (auto const unit : {size / subproblem, (size + subproblem - 1) / subproblem})
                if (unit > 1 && units.size() < most) units.push_back(unit);
    sort_unique(units);
    return units;
}

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
    void choose_unit(std::vector<bytes> const& units, stop_test stop) {
        if (!feasible_ || is_solved()) return;
        auto const before = bound();
        auto best = before;
        for (auto const u : units) {
            if (stop()) break;
            auto const r = cut_relaxation(cut_, budget_, u, given_).solve(best_time(), -1, stop);
            offer(r.fits);
            if (!r.feasible || r.bound <= best) continue;
            best = r.bound;
            unit_ = u;
        }
        bound_ = std::max(bound_, best);
        if (unit_ == 1) return;
        subproblems_.begin(bound_, [&] { evaluate(given_, bound_, stop); });
    }
    /// Branches on so many subproblems, or until `stop()` returns true.
    void branch(std::size_t parts, stop_test stop) {
        auto const is_over = [&] { return parts-- == 0 || stop(); };
        subproblems_.branch([&] { return best_time(); }, is_over,
                            [&](subproblem const& parent, bool kept) {
                                bound_ = std::max(bound_, std::min(parent.bound, subproblems_.leaf_bound()));
                                auto decisions = parent.decisions;
                                decisions.push_back({parent.next, kept});
                                evaluate(std::move(decisions), parent.bound, stop);
                            });
    }

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
    void fill(cut_relaxation::result const& r) {
        auto const& m = cut_.model();
        auto const capacity = cut_.capacity(budget_);
        if (!r.fits || !r.beyond || r.fits->size > capacity || r.fits->time <= r.bound) return;
        if (m.without.contains(technique::fill_capacity)) return;
        auto const is_allowed = [&](checkpoint_choice const& c) {
            return std::ranges::none_of(given_, [&](cut_decision const& d) { return !d.kept && c.kept[d.value] != 0; });
        };
        auto const tries = std::clamp(effort::fill_work / (m.operation_count() + 1), effort::least_fill_trials,
                                      effort::most_fill_trials);
        offer(fill_capacity(cut_, *r.fits, *r.beyond, capacity, tries, is_allowed));
    }
    void evaluate(std::vector<cut_decision> decisions, std::int64_t at_least, stop_test stop) {
        auto const r = cut_relaxation(cut_, budget_, unit_, decisions).solve(best_time(), -1, stop);
        if (!r.feasible) {
            feasible_ = feasible_ && decisions.size() > given_.size();
            return;
        }
        offer(r.fits);
        if (decisions.size() == given_.size()) fill(r);
        auto const bound = std::max(at_least, r.bound);
        if (bound >= best_time()) return;
        if (auto const x = branching_value(r, decisions)) {
            subproblems_.push({bound, *x, std::move(decisions)});
        } else {
            subproblems_.push_leaf(bound);
        }
    }
    /// Returns the largest value on which both neighbours of the capacity differ, or the largest that is kept; nothing
    /// where every kept value is decided, so that the subproblem has one choice only.
    [[nodiscard]] auto branching_value(cut_relaxation::result const& r,
                                       std::vector<cut_decision> const& decisions) const -> std::optional<value_index> {
        auto const& m = cut_.model();
        std::vector<bool> decided(m.value_count(), false);
        for (auto const& d : decisions) decided[d.value] = true;
        auto const& kept = r.beyond ? r.beyond->kept : r.fits->kept;
        std::optional<value_index> differs, any;
        for (value_index x = 0; x < m.value_count(); ++x) {
            if (decided[x] || !kept[x] || cut_.is_input(x) || m.sizes[x] == 0 || m.producers[x].size() != 1) continue;
            if (!any || m.sizes[x] > m.sizes[*any]) any = x;
            if (r.beyond && r.fits && r.fits->kept[x]) continue;
            if (!differs || m.sizes[x] > m.sizes[*differs]) differs = x;
        }
        return differs && m.sizes[*differs] >= unit_ ? differs : any;
    }

    first_run_cut const& cut_;
    bytes budget_, unit_ = 1;
    std::vector<cut_decision> given_;
    bool feasible_ = true;
    std::int64_t bound_ = 0;
    std::optional<checkpoint_choice> best_;
    branch_and_bound<subproblem> subproblems_;
};

}  // namespace repebble::inline v0::detail

#endif
