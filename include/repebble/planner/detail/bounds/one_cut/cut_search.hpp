#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_ONE_CUT_CUT_SEARCH_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_ONE_CUT_CUT_SEARCH_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/never_stop.hpp>
#include <repebble/detail/sort_unique.hpp>
#include <repebble/planner/detail/bounds/one_cut/cut_relaxation.hpp>
#include <repebble/planner/detail/bounds/one_cut/fill_capacity.hpp>

namespace repebble::inline v0::detail {

/// Units in which bytes may be counted so that most of the priced sizes are multiples: the larger sizes, and parts.
/// The first `most` are of the sizes with most bytes, and of their largest parts.
[[nodiscard]] inline auto byte_units(planning_model const& m,
                                     std::size_t most = std::numeric_limits<std::size_t>::max()) -> std::vector<bytes> {
    constexpr std::size_t most_sizes = 24;
    constexpr bytes most_parts = 12, smallest = 200;
    std::vector<std::pair<bytes, bytes>> total;  // of all values of a size, that size
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
    std::sort(total.begin(), total.end(), std::greater<>{});
    if (total.size() > most_sizes) total.resize(most_sizes);
    std::vector<bytes> units{1};
    for (bytes part = 1; part <= most_parts; ++part)
        for (auto const& [all, size] : total)
            for (auto const unit : {size / part, (size + part - 1) / part})
                if (unit > 1 && units.size() < most) units.push_back(unit);
    sort_unique(units);
    return units;
}

/// Branch and bound over the choices at one moment, the most promising part first: of all, or of those that agree with
/// the given decisions.
class cut_search {
  public:
    cut_search(first_run_cut const& cut, bytes budget) : cut_search(cut, budget, never_stop{}) {}
    cut_search(first_run_cut const& cut, bytes budget, stop_test stop, std::vector<cut_decision> given = {})
        : cut_(cut), budget_(budget), given_(std::move(given)) {
        look(given_, 0, stop);
    }

    /// False: no schedule is within the budget.
    [[nodiscard]] auto feasible() const -> bool { return feasible_; }
    /// No schedule within the budget takes less than this above everything once.
    [[nodiscard]] auto bound() const -> std::int64_t {
        auto const open =
            std::min({parts_.empty() ? least_time() : parts_.top().bound, least_time(), undivided_, at_hand_});
        return feasible_ ? std::max(bound_, open) : bound_;
    }
    /// The best choice so far.
    [[nodiscard]] auto best() const -> std::optional<checkpoint_choice> const& { return best_; }
    [[nodiscard]] auto is_solved() const -> bool { return parts_.empty() || parts_.top().bound >= least_time(); }

    [[nodiscard]] auto unit() const noexcept -> bytes { return unit_; }

    /// Looks for the unit that gives the best bound, until `stop()` says so.  O(units · flows).
    void choose_unit(std::vector<bytes> const& units, stop_test stop) {
        if (!feasible_ || is_solved()) return;
        auto const before = bound();
        auto best = before;
        for (auto const u : units) {
            if (stop()) break;
            auto const r = cut_relaxation(cut_, budget_, u, given_).solve(least_time(), -1, stop);
            offer(r.fits);
            if (!r.feasible || r.bound <= best) continue;
            best = r.bound;
            unit_ = u;
        }
        bound_ = std::max(bound_, best);
        if (unit_ == 1) return;
        parts_ = {};
        undivided_ = none;
        at_hand_ = bound_;
        look(given_, bound_, stop);
        at_hand_ = none;
    }
    /// Divides as many parts, or until `stop()` says so.
    void divide(std::size_t parts, stop_test stop) {
        for (std::size_t k = 0; k < parts && !is_solved() && !stop(); ++k) {
            auto part = parts_.top();
            parts_.pop();
            bound_ = std::max(bound_, std::min(part.bound, undivided_));
            at_hand_ = part.bound;
            for (bool const held : {true, false}) {
                auto decisions = part.decisions;
                decisions.push_back({part.next, held});
                look(std::move(decisions), part.bound, stop);
            }
            at_hand_ = none;
        }
    }

  private:
    static constexpr auto none = std::numeric_limits<std::int64_t>::max();

    struct part {
        std::int64_t bound;
        value_index next;  // to decide on
        std::vector<cut_decision> decisions;
        friend auto operator<(part const& a, part const& b) -> bool {
            return a.bound != b.bound ? a.bound > b.bound : a.decisions.size() < b.decisions.size();
        }
    };

    [[nodiscard]] auto least_time() const -> std::int64_t { return best_ ? best_->time : none; }
    void offer(std::optional<checkpoint_choice> const& c) {
        if (c && c->time < least_time() && c->size <= cut_.room(budget_)) best_ = c;
    }
    /// Of a part that is not divided, what lies between both sides of the capacity.
    void fill(cut_relaxation::result const& r) {
        auto const& m = cut_.model();
        auto const room = cut_.room(budget_);
        if (!r.fits || !r.beyond || r.fits->size > room || r.fits->time <= r.bound) return;
        auto const is_allowed = [&](checkpoint_choice const& c) {
            return std::ranges::none_of(given_, [&](cut_decision const& d) { return !d.held && c.held[d.value] != 0; });
        };
        auto const tries = std::clamp<std::size_t>(2'000'000 / (m.operation_count() + 1), 20, 400);
        offer(fill_capacity(cut_, *r.fits, *r.beyond, room, tries, is_allowed));
    }
    void look(std::vector<cut_decision> decisions, std::int64_t at_least, stop_test stop) {
        auto const r = cut_relaxation(cut_, budget_, unit_, decisions).solve(least_time(), -1, stop);
        if (!r.feasible) {
            feasible_ = feasible_ && decisions.size() > given_.size();
            return;
        }
        offer(r.fits);
        if (decisions.size() == given_.size()) fill(r);
        auto const bound = std::max(at_least, r.bound);
        if (bound >= least_time()) return;
        if (auto const x = to_decide(r, decisions)) {
            parts_.push({bound, *x, std::move(decisions)});
        } else {
            undivided_ = std::min(undivided_, bound);
        }
    }
    /// The largest value on which both sides of the capacity differ, or the largest that is held; nothing where all
    /// that is held was decided on, so that the part has no other choice.
    [[nodiscard]] auto to_decide(cut_relaxation::result const& r, std::vector<cut_decision> const& decisions) const
        -> std::optional<value_index> {
        auto const& m = cut_.model();
        std::vector<bool> decided(m.value_count(), false);
        for (auto const& d : decisions) decided[d.value] = true;
        auto const& held = r.beyond ? r.beyond->held : r.fits->held;
        std::optional<value_index> differs, any;
        for (value_index x = 0; x < m.value_count(); ++x) {
            if (decided[x] || !held[x] || cut_.is_read_here(x) || m.sizes[x] == 0 || m.producers[x].size() != 1)
                continue;
            if (!any || m.sizes[x] > m.sizes[*any]) any = x;
            if (r.beyond && r.fits && r.fits->held[x]) continue;
            if (!differs || m.sizes[x] > m.sizes[*differs]) differs = x;
        }
        return differs && m.sizes[*differs] >= unit_ ? differs : any;
    }

    first_run_cut const& cut_;
    bytes budget_, unit_ = 1;
    std::vector<cut_decision> given_;
    bool feasible_ = true;
    std::int64_t bound_ = 0;
    std::int64_t undivided_ = none;  // bound of parts in which nothing is to decide
    std::int64_t at_hand_ = none;    // of the part that is being looked at: `stop()` may ask for the bound
    std::optional<checkpoint_choice> best_;
    std::priority_queue<part> parts_;
};

}  // namespace repebble::inline v0::detail

#endif
