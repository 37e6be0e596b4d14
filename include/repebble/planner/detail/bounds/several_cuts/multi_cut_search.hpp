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
#include <repebble/planner/detail/model/effort.hpp>

namespace repebble::inline v0::detail {

/// Branch and bound over what is kept at several cuts, and what runs again between two of them. Prices climb along
/// subgradients (Held, Karp 1971) with Polyak's steps towards `cutoff`, the overhead of a known plan; every bound is
/// that of whole multipliers, and so exact. Where the relaxation pays for one run of what must run more often
/// (`score_of`), parts are divided by whether the one that costs most runs in that interval: where it does, that is
/// paid for; where it does not, a value that is made of it has to be kept, or is not there either, which decides the
/// values behind it one after the other. Other parts are divided at the largest value that is kept by half. Where all
/// is decided nothing is lost, so that the bound is the optimum of the cuts; rows by rounding (`rounded_capacity`) come
/// nearer to it sooner, and a split of the costs (`decomposition_ascent`) may say more. Bytes are counted in units, as
/// by `cut_relaxation`.
class multi_cut_search {
  public:
    /// `stop()` ends the climb, not before the first step.
    /// Requires: each cut's operation runs after that of the one before, in every schedule.
    multi_cut_search(std::vector<first_run_cut> cuts, bytes budget, bytes unit, std::int64_t cutoff,
                     std::size_t ascent_steps, stop_test stop = never_stop{})
        : cuts_(std::move(cuts)), budget_(budget), unit_(unit), cutoff_(cutoff), scale_(cuts_, budget, unit) {
        if (scale_.is_exact) {
            begin(std::vector<double>(cuts_.size(), 0.0), ascent_steps, stop);
        } else {
            leaf_bound_ = 0;
        }
    }

    [[nodiscard]] auto cuts() const noexcept -> std::vector<first_run_cut> const& { return cuts_; }
    /// A faster plan is known.
    void lower(std::int64_t cutoff) { cutoff_ = std::min(cutoff_, cutoff); }

    /// No schedule within the budget takes less than this above everything once; at most `cutoff`.
    [[nodiscard]] auto bound() const -> std::int64_t {
        auto const divided =
            std::min({subproblems_.empty() ? none : subproblems_.top().bound, best_time_, leaf_bound_, cutoff_});
        return std::max(divided, std::min(root_bound_, cutoff_));
    }
    /// No schedule is within the budget.
    [[nodiscard]] auto infeasible() const -> bool {
        return subproblems_.empty() && !cutoff_reached_ && best_time_ == none && leaf_bound_ == none;
    }
    [[nodiscard]] auto is_solved() const -> bool { return subproblems_.empty() || bound() >= target(); }
    /// What dividing may still add is little beside what is missing.
    [[nodiscard]] auto is_settled() const -> bool {
        constexpr std::int64_t little = 50;
        return is_solved() || (best_time_ != none && best_time_ - bound() <= (cutoff_ - bound()) / little);
    }
    /// For each cut, of the fastest choice that fits at all of them, in units; empty where none was met.
    [[nodiscard]] auto best() const noexcept -> std::vector<checkpoint_choice> const& { return best_; }
    /// What the relaxation's first choice takes in all: more than the bound where dividing parts will raise that.
    [[nodiscard]] auto estimate() const noexcept -> std::int64_t { return estimate_; }
    /// Maximum flows that were computed.
    [[nodiscard]] auto flows() const noexcept -> std::size_t { return flows_; }

    /// Raises the bound by rows (`rounded_capacity`): at each cut that which is exceeded most by what is kept by
    /// shares, then again with their multipliers, as long as that says more, up to `multiplier_scale::most_rows` for
    /// each cut, or until `stop()` says so.
    void round_capacities(stop_test stop) {
        constexpr auto ascent_steps = effort::row_steps;
        constexpr std::int64_t worth_it = 200;  // part of the gap
        if (multipliers_.empty() || is_solved()) return;
        std::int64_t said = -1;
        while (!stop()) {
            auto const says = add_rows(ascent_steps, stop);
            if (!says || *says - said <= (target() - *says) / worth_it) break;
            said = *says;
        }
        multipliers_.resize(cuts_.size() + rows_.size(), 0.0);
        if (rows_.empty() || is_solved() || stop()) return;
        // What was divided without them may say less.
        if (subproblems_.top().decisions.empty() || root_bound_ > subproblems_.top().bound)
            begin(multipliers_, ascent_steps, stop);
    }
    /// Raises the bound by a split of the costs (`decomposition_ascent`), if that says more, in as many steps at most.
    void split_costs(std::size_t steps, stop_test stop) {
        if (cuts_.size() < 2 || multipliers_.empty() || is_solved() || stop()) return;
        propagation const decided(cuts_, budget_, unit_, {});
        capacity_rows const capacities(decided, rows_);
        decomposition_ascent ascent(capacities, scale_, flows_);
        auto const value = ascent.climb(multipliers_, static_cast<double>(target()), steps, stop);
        if (!value) subproblems_ = {};
        if (value && *value > 0) root_bound_ = std::max(root_bound_, scale_.rounded_up(*value));
    }
    /// Divides parts until `stop()` says so.
    void branch(stop_test stop) {
        auto const ascent_steps = rows_.empty() ? effort::node_steps : effort::node_steps_with_rows;
        while (!is_solved() && !stop()) {
            auto const whole = subproblems_.top();
            subproblems_.pop();
            for (bool const yes : {true, false}) {
                auto decisions = whole.decisions;
                if (auto const* checkpoint = std::get_if<checkpoint_decision>(&whole.next)) {
                    decisions.checkpoints.push_back({checkpoint->cut, checkpoint->value, yes});
                } else {
                    auto const& run = std::get<interval_run>(whole.next);
                    decisions.runs.push_back({run.interval, run.operation, yes});
                }
                evaluate(std::move(decisions), whole.multipliers, whole.bound, ascent_steps, stop);
            }
        }
    }

  private:
    static constexpr auto none = std::numeric_limits<std::int64_t>::max();

    struct subproblem {
        std::int64_t bound;
        std::variant<checkpoint_decision, interval_run> next;  // to decide on
        std::vector<double> multipliers;
        branching_decisions decisions;
        friend auto operator<(subproblem const& a, subproblem const& b) -> bool {
            return a.bound != b.bound ? a.bound > b.bound : a.decisions.size() < b.decisions.size();
        }
    };

    [[nodiscard]] auto target() const -> std::int64_t { return std::min({best_time_, cutoff_, leaf_bound_}); }
    [[nodiscard]] auto aim() const {
        return [this] { return target(); };
    }
    /// Divides nothing yet.
    void begin(std::vector<double> const& multipliers, std::size_t ascent_steps, stop_test stop) {
        subproblems_ = {};
        evaluate({}, multipliers, 0, ascent_steps, stop);
    }
    /// Returns what is said without them; nothing where there are none.
    auto add_rows(std::size_t ascent_steps, stop_test stop) -> std::optional<std::int64_t> {
        if (rows_.size() + cuts_.size() > multiplier_scale::most_rows * cuts_.size()) return std::nullopt;
        propagation const decided(cuts_, budget_, unit_, {});
        capacity_rows const capacities(decided, rows_);
        multi_cut_relaxation const chain(capacities, scale_.scale);
        multipliers_.resize(capacities.count(), 0.0);
        auto const visit = [&](relaxed_choice const& now) { offer(now, decided, capacities, chain); };
        dual_ascent climb(capacities, chain, scale_, flows_);
        auto top = climb.by_volume(multipliers_, ascent_steps, aim(), visit, stop);
        if (!top.feasible) subproblems_ = {};
        root_bound_ = std::max(root_bound_, top.bound);
        if (!top.feasible || top.multipliers.empty() || is_solved()) return std::nullopt;
        multipliers_ = std::move(top.multipliers);
        auto const before = rows_.size();
        for (auto& row : separate_mir(capacities, chain, top.kept_fraction))
            if (std::ranges::find(rows_, row) == rows_.end()) rows_.push_back(std::move(row));
        return rows_.size() > before ? std::optional(top.bound) : std::nullopt;
    }
    void evaluate(branching_decisions decisions, std::vector<double> multipliers, std::int64_t bound,
                  std::size_t ascent_steps, stop_test stop) {
        constexpr double worth_it = 0.05;  // of what is missing: what is lost by one value
        propagation const decided(cuts_, budget_, unit_, decisions);
        capacity_rows const capacities(decided, rows_);
        if (!capacities.fit()) return;  // nothing is like that
        multi_cut_relaxation const chain(capacities, scale_.scale);
        if (multipliers.size() != capacities.count()) multipliers = multipliers_;
        auto const visit = [&](relaxed_choice const& now) { offer(now, decided, capacities, chain); };
        dual_ascent climb(capacities, chain, scale_, flows_);
        auto top = climb.by_subgradients(std::move(multipliers), ascent_steps, aim(), visit, stop);
        if (!top.feasible) return;
        bound = std::max(bound, top.bound);
        if (bound >= target()) {
            cutoff_reached_ = cutoff_reached_ || bound >= cutoff_;
            return;
        }
        if (decisions.empty()) multipliers_ = top.multipliers;
        auto const score = score_of(decided, chain, top.choice);
        if (decisions.empty()) estimate_ = static_cast<std::int64_t>(top.value) + score.gap;
        std::optional<std::variant<checkpoint_decision, interval_run>> next;
        if (auto const h = top.most_fractional(decided.model(), chain)) next = chain.checkpoints()[*h];
        auto const worth = worth_it * static_cast<double>(target() - bound);
        if (score.value && static_cast<double>(score.value_gap) >= worth) next = *score.value;
        if (score.run && score.run_gap >= score.value_gap && static_cast<double>(score.run_gap) >= worth)
            next = *score.run;
        if (score.open) next = *score.open;
        if (next) {
            subproblems_.push({bound, *next, std::move(top.multipliers), std::move(decisions)});
        } else {
            leaf_bound_ = std::min(leaf_bound_, bound);
        }
    }
    /// If it fits at all cuts.
    void offer(relaxed_choice const& now, propagation const& decided, capacity_rows const& capacities,
               multi_cut_relaxation const& chain) {
        if (!capacities.fit(now.choice.used)) return;
        auto const time = now.time / scale_.scale + score_of(decided, chain, now.choice).gap;
        if (time >= best_time_) return;
        best_time_ = time;
        best_ = chain.choices(now.choice);
    }

    std::vector<first_run_cut> cuts_;
    bytes budget_, unit_;
    std::int64_t cutoff_;
    multiplier_scale scale_;
    std::vector<mir_inequality> rows_;
    bool cutoff_reached_ = false;
    std::int64_t estimate_ = 0;
    std::int64_t best_time_ = none;        // of choices that fit at every cut
    std::vector<checkpoint_choice> best_;  // the one that takes that
    std::int64_t leaf_bound_ = none;       // bound of parts in which nothing is to decide
    std::int64_t root_bound_ = 0;          // of all parts
    std::vector<double> multipliers_;      // the best for all parts
    std::size_t flows_ = 0;
    std::priority_queue<subproblem> subproblems_;
};

}  // namespace repebble::inline v0::detail

#endif
