#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_MULTI_CUT_SEARCH_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_MULTI_CUT_SEARCH_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <queue>
#include <utility>
#include <variant>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/never_stop.hpp>
#include <repebble/planner/detail/bounds/one_cut/first_run_cut.hpp>
#include <repebble/planner/detail/bounds/several_cuts/branching_decisions.hpp>
#include <repebble/planner/detail/bounds/several_cuts/branching_score.hpp>
#include <repebble/planner/detail/bounds/several_cuts/capacity_rows.hpp>
#include <repebble/planner/detail/bounds/several_cuts/decomposition_ascent.hpp>
#include <repebble/planner/detail/bounds/several_cuts/dual_ascent.hpp>
#include <repebble/planner/detail/bounds/several_cuts/mir_inequality.hpp>
#include <repebble/planner/detail/bounds/several_cuts/multi_cut_relaxation.hpp>
#include <repebble/planner/detail/bounds/several_cuts/multiplier_scale.hpp>
#include <repebble/planner/detail/bounds/several_cuts/propagation.hpp>
#include <repebble/planner/detail/bounds/several_cuts/relaxed_choice.hpp>
#include <repebble/planner/detail/bounds/several_cuts/separate_mir.hpp>

namespace repebble::inline v0::detail {

/// Branch and bound over what is held at several moments, and what runs again between two of them. Prices climb along
/// subgradients (Held, Karp 1971) with Polyak's steps towards `enough`, the overhead of a known plan; every bound is
/// that of whole prices, and so exact. Where the relaxation pays for one run of what must run more often (`score_of`),
/// parts are divided by whether the one that costs most runs in that interval: where it does, that is paid for; where
/// it does not, a value that is made of it has to be held, or is not there either, which decides the values behind it
/// one after the other. Other parts are divided at the largest value that is held by half. Where all is decided nothing
/// is lost, so that the bound is the optimum of the moments; rows by rounding (`rounded_capacity`) come nearer to it
/// sooner, and a split of the costs (`decomposition_ascent`) may say more. Bytes are counted in units, as by
/// `cut_relaxation`.
class multi_cut_search {
  public:
    /// `stop()` ends the climb, not before the first step.
    /// Requires: each moment's operation runs after that of the one before, in every schedule.
    multi_cut_search(std::vector<first_run_cut> cuts, bytes budget, bytes unit, std::int64_t enough, std::size_t climbs,
                     stop_test stop = never_stop{})
        : cuts_(std::move(cuts)), budget_(budget), unit_(unit), enough_(enough), scale_(cuts_, budget, unit) {
        if (scale_.is_exact) {
            begin(std::vector<double>(cuts_.size(), 0.0), climbs, stop);
        } else {
            undivided_ = 0;
        }
    }

    [[nodiscard]] auto cuts() const noexcept -> std::vector<first_run_cut> const& { return cuts_; }
    /// A faster plan is known.
    void lower(std::int64_t enough) { enough_ = std::min(enough_, enough); }

    /// No schedule within the budget takes less than this above everything once; at most `enough`.
    [[nodiscard]] auto bound() const -> std::int64_t {
        auto const divided = std::min({parts_.empty() ? none : parts_.top().bound, least_, undivided_, enough_});
        return std::max(divided, std::min(root_bound_, enough_));
    }
    /// No schedule is within the budget.
    [[nodiscard]] auto infeasible() const -> bool {
        return parts_.empty() && !enough_reached_ && least_ == none && undivided_ == none;
    }
    [[nodiscard]] auto is_solved() const -> bool { return parts_.empty() || bound() >= target(); }
    /// What dividing may still add is little beside what is missing.
    [[nodiscard]] auto is_settled() const -> bool {
        constexpr std::int64_t little = 50;
        return is_solved() || (least_ != none && least_ - bound() <= (enough_ - bound()) / little);
    }
    /// For each moment, of the fastest choice that fits at all of them, in units; empty where none was met.
    [[nodiscard]] auto best() const noexcept -> std::vector<checkpoint_choice> const& { return best_; }
    /// What the relaxation's first choice takes in all: more than the bound where dividing parts will raise that.
    [[nodiscard]] auto promise() const noexcept -> std::int64_t { return promise_; }
    /// Maximum flows that were computed.
    [[nodiscard]] auto flows() const noexcept -> std::size_t { return flows_; }

    /// Raises the bound by rows (`rounded_capacity`): at each moment that which is exceeded most by what is held by
    /// shares, then again with their prices, as long as that says more, up to `multiplier_scale::most_rows` for each
    /// moment, or until `stop()` says so.
    void round_rooms(stop_test stop) {
        constexpr std::size_t climbs = 100;
        constexpr std::int64_t worth_it = 200;  // a part of what is missing
        if (prices_.empty() || is_solved()) return;
        std::int64_t said = -1;
        while (!stop()) {
            auto const says = add_rows(climbs, stop);
            if (!says || *says - said <= (target() - *says) / worth_it) break;
            said = *says;
        }
        prices_.resize(cuts_.size() + rows_.size(), 0.0);
        if (rows_.empty() || is_solved() || stop()) return;
        // What was divided without them may say less.
        if (parts_.top().decisions.empty() || root_bound_ > parts_.top().bound) begin(prices_, climbs, stop);
    }
    /// Raises the bound by a split of the costs (`decomposition_ascent`), if that says more, in as many steps at most.
    void split_costs(std::size_t steps, stop_test stop) {
        if (cuts_.size() < 2 || prices_.empty() || is_solved() || stop()) return;
        propagation const decided(cuts_, budget_, unit_, {});
        capacity_rows const rooms(decided, rows_);
        decomposition_ascent ascent(rooms, scale_, flows_);
        auto const value = ascent.climb(prices_, static_cast<double>(target()), steps, stop);
        if (!value) parts_ = {};
        if (value && *value > 0) root_bound_ = std::max(root_bound_, scale_.rounded_up(*value));
    }
    /// Divides parts until `stop()` says so.
    void divide(stop_test stop) {
        auto const climbs = rows_.empty() ? std::size_t{6} : std::size_t{12};
        while (!is_solved() && !stop()) {
            auto const whole = parts_.top();
            parts_.pop();
            for (bool const yes : {true, false}) {
                auto decisions = whole.decisions;
                if (auto const* hold = std::get_if<checkpoint_decision>(&whole.next)) {
                    decisions.holds.push_back({hold->moment, hold->value, yes});
                } else {
                    auto const& run = std::get<interval_run>(whole.next);
                    decisions.runs.push_back({run.interval, run.operation, yes});
                }
                look(std::move(decisions), whole.prices, whole.bound, climbs, stop);
            }
        }
    }

  private:
    static constexpr auto none = std::numeric_limits<std::int64_t>::max();

    struct part {
        std::int64_t bound;
        std::variant<checkpoint_decision, interval_run> next;  // to decide on
        std::vector<double> prices;
        branching_decisions decisions;
        friend auto operator<(part const& a, part const& b) -> bool {
            return a.bound != b.bound ? a.bound > b.bound : a.decisions.size() < b.decisions.size();
        }
    };

    [[nodiscard]] auto target() const -> std::int64_t { return std::min({least_, enough_, undivided_}); }
    [[nodiscard]] auto aim() const {
        return [this] { return target(); };
    }
    /// Divides nothing yet.
    void begin(std::vector<double> const& prices, std::size_t climbs, stop_test stop) {
        parts_ = {};
        look({}, prices, 0, climbs, stop);
    }
    /// Returns what is said without them; nothing where there are none.
    auto add_rows(std::size_t climbs, stop_test stop) -> std::optional<std::int64_t> {
        if (rows_.size() + cuts_.size() > multiplier_scale::most_rows * cuts_.size()) return std::nullopt;
        propagation const decided(cuts_, budget_, unit_, {});
        capacity_rows const rooms(decided, rows_);
        multi_cut_relaxation const chain(rooms, scale_.scale);
        prices_.resize(rooms.count(), 0.0);
        auto const see = [&](relaxed_choice const& now) { offer(now, decided, rooms, chain); };
        dual_ascent climb(rooms, chain, scale_, flows_);
        auto top = climb.by_volume(prices_, climbs, aim(), see, stop);
        if (!top.feasible) parts_ = {};
        root_bound_ = std::max(root_bound_, top.bound);
        if (!top.feasible || top.prices.empty() || is_solved()) return std::nullopt;
        prices_ = std::move(top.prices);
        auto const before = rows_.size();
        for (auto& row : separate_mir(rooms, chain, top.is_held_by))
            if (std::ranges::find(rows_, row) == rows_.end()) rows_.push_back(std::move(row));
        return rows_.size() > before ? std::optional(top.bound) : std::nullopt;
    }
    void look(branching_decisions decisions, std::vector<double> prices, std::int64_t bound, std::size_t climbs,
              stop_test stop) {
        constexpr double worth_it = 0.05;  // of what is missing: what is lost by one value
        propagation const decided(cuts_, budget_, unit_, decisions);
        capacity_rows const rooms(decided, rows_);
        if (!rooms.fit()) return;  // nothing is like that
        multi_cut_relaxation const chain(rooms, scale_.scale);
        if (prices.size() != rooms.count()) prices = prices_;
        auto const see = [&](relaxed_choice const& now) { offer(now, decided, rooms, chain); };
        dual_ascent climb(rooms, chain, scale_, flows_);
        auto top = climb.by_subgradients(std::move(prices), climbs, aim(), see, stop);
        if (!top.feasible) return;
        bound = std::max(bound, top.bound);
        if (bound >= target()) {
            enough_reached_ = enough_reached_ || bound >= enough_;
            return;
        }
        if (decisions.empty()) prices_ = top.prices;
        auto const lost = score_of(decided, chain, top.choice);
        if (decisions.empty()) promise_ = static_cast<std::int64_t>(top.value) + lost.time;
        std::optional<std::variant<checkpoint_decision, interval_run>> next;
        if (auto const h = top.largest_by_half(decided.model(), chain)) next = chain.holds()[*h];
        auto const worth = worth_it * static_cast<double>(target() - bound);
        if (lost.because && static_cast<double>(lost.most) >= worth) next = *lost.because;
        if (lost.again && lost.most_again >= lost.most && static_cast<double>(lost.most_again) >= worth)
            next = *lost.again;
        if (lost.open) next = *lost.open;
        if (next) {
            parts_.push({bound, *next, std::move(top.prices), std::move(decisions)});
        } else {
            undivided_ = std::min(undivided_, bound);
        }
    }
    /// If it fits at all moments.
    void offer(relaxed_choice const& now, propagation const& decided, capacity_rows const& rooms,
               multi_cut_relaxation const& chain) {
        if (!rooms.fit(now.choice.used)) return;
        auto const time = now.time / scale_.scale + score_of(decided, chain, now.choice).time;
        if (time >= least_) return;
        least_ = time;
        best_ = chain.choices(now.choice);
    }

    std::vector<first_run_cut> cuts_;
    bytes budget_, unit_;
    std::int64_t enough_;
    multiplier_scale scale_;
    std::vector<mir_inequality> rows_;
    bool enough_reached_ = false;
    std::int64_t promise_ = 0;
    std::int64_t least_ = none;            // of choices that fit at every moment
    std::vector<checkpoint_choice> best_;  // the one that takes that
    std::int64_t undivided_ = none;        // bound of parts in which nothing is to decide
    std::int64_t root_bound_ = 0;          // of all parts
    std::vector<double> prices_;           // the best for all parts
    std::size_t flows_ = 0;
    std::priority_queue<part> parts_;
};

}  // namespace repebble::inline v0::detail

#endif
