#ifndef REPEBBLE_OFFLOAD_SWAP_ENVIRONMENT_HPP
#define REPEBBLE_OFFLOAD_SWAP_ENVIRONMENT_HPP

// The environment of Chen, sections 4.4 to 4.8: an agent walks along the rows of a trace and offloads, removes, or does
// nothing. A planning_environment over `simulate_swaps`, for fitted_q_iteration and for random choice.
// Invariant: the rewards of an episode sum to minus the overhead of its plan, exactly, and twice the iteration less
// where it came to a dead end.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include <repebble/graph/error.hpp>
#include <repebble/offload/planning_environment.hpp>
#include <repebble/offload/simulate_swaps.hpp>
#include <repebble/offload/swap_problem.hpp>

namespace repebble::inline v0 {

/// What an agent is offered.
struct swap_agent_options {
    /// Whether only intervals are offered in which the variable may be absent at the first row that is too full; the
    /// paper offers all that lie at the agent's row.
    bool only_helpful = false;
    /// Whether the agent passes over rows at which it has no choice (point 26).
    bool skip_rows = true;
};

/// An agent on a trace, within a limit. Node v is row v; node 0 means "do nothing". The problem must outlive it.
///
/// Nodes (point 8): to offload in a reuse interval is the row of its last use, to remove the nearest earlier row of the
/// variable that stands for nothing yet; never row 0. The longest intervals choose first; where there is no such row
/// left, the interval cannot be removed here.
/// Transitions (section 4.6; points 10, 11): "nothing" and "remove" lead to the next row, "offload" to the first that
/// begins when the copy has ended; the agent stops at a row that does not fit, where doing nothing is no action.
/// Terminal: when all fits (point 20), or at a row that does not fit when nothing is left to do (point 19).
class swap_environment {
  public:
    /// O(rows), and one simulation.  Throws as `simulate_swaps` does.
    swap_environment(swap_problem const& problem, swap_options const& options, swap_agent_options const& agent = {})
        : problem_(&problem), options_(options), agent_(agent) {
        REPEBBLE_ASSERT(problem.row_count() > 0);
        options_.timeline = false;
        keep_ = simulate_swaps(problem, problem.keep_all(), options_);
        find_nodes();
        reset();
    }

    /// Rows.
    [[nodiscard]] auto node_count() const -> std::size_t { return problem_->row_count(); }
    /// The six features of a row (section 4.4.1; points 5, 6); all but the last stay what they are.
    [[nodiscard]] auto features(std::size_t v) const -> node_features {
        auto x = features_[v];
        x[node_feature::valid] = is_valid_[v] ? 1 : 0;
        return x;
    }
    /// The variable of a row.
    [[nodiscard]] auto variable(std::size_t v) const -> std::size_t { return row(v).variable; }
    /// When a row begins in the trace.
    [[nodiscard]] auto begin(std::size_t v) const -> double { return static_cast<double>(row(v).begin); }
    /// Length of the iteration, at least 1.
    [[nodiscard]] auto time_once() const -> std::int64_t {
        return std::max<std::int64_t>(1, problem_->iteration().duration);
    }
    /// The row under execution.
    [[nodiscard]] auto current() const noexcept -> std::size_t { return current_; }
    /// Node 0 for "nothing", where that is an action, then those of H⁰ and H¹ (point 9), ascending; empty where the
    /// state is terminal.
    [[nodiscard]] auto valid_actions() const noexcept -> std::vector<std::size_t> const& { return valid_; }
    /// Takes a valid action and returns its reward (section 4.7; point 18).  O(one simulation); nothing: O(intervals).
    auto act(std::size_t node) -> std::int64_t {
        REPEBBLE_ASSERT(std::ranges::binary_search(valid_, node));
        auto const before = result_.overhead;
        auto target = current_ + 1;
        if (node != 0) {
            auto const [interval, choice] = meaning_[node];
            plan_[interval] = choice;
            result_ = simulate_swaps(*problem_, plan_, options_);
            if (choice == swap_choice::offload) target = end_of_copy(interval);
        }
        current_ = std::max(current_, std::min(target, last_row()));
        look();
        return before - result_.overhead - (terminal() && !feasible() ? 2 * time_once() : 0);
    }
    /// Whether the episode is over.
    [[nodiscard]] auto terminal() const noexcept -> bool { return valid_.empty(); }
    /// Whether the plan so far fits.
    [[nodiscard]] auto feasible() const noexcept -> bool { return result_.feasible; }
    /// Back to the first row, with nothing decided.
    void reset() {
        plan_ = problem_->keep_all();
        result_ = keep_;
        current_ = 0;
        look();
    }

    /// The plan so far.
    [[nodiscard]] auto plan() const noexcept -> swap_plan const& { return plan_; }
    /// The plan of a set of actions: of `planned_actions::nodes`, for instance.  Requires: nodes that stand for
    /// actions.
    [[nodiscard]] auto plan_of(std::vector<std::size_t> const& nodes) const -> swap_plan {
        auto plan = problem_->keep_all();
        for (auto const v : nodes) {
            REPEBBLE_ASSERT(v < meaning_.size() && meaning_[v].choice != swap_choice::keep);
            plan[meaning_[v].interval] = meaning_[v].choice;
        }
        return plan;
    }
    /// The plan so far, simulated.
    [[nodiscard]] auto result() const noexcept -> swap_result const& { return result_; }

  private:
    struct action_of_node {
        std::size_t interval = 0;
        swap_choice choice = swap_choice::keep;  // keep: the node stands for nothing
    };

    [[nodiscard]] auto row(std::size_t v) const -> trace_row const& { return problem_->iteration().rows[v]; }
    [[nodiscard]] auto last_row() const -> std::size_t {
        return std::min(result_.first_overfull, problem_->row_count() - 1);
    }

    void find_nodes() {
        auto const n = problem_->row_count();
        auto const& intervals = problem_->intervals();
        meaning_.resize(n);
        std::vector<std::size_t> before(n, 0);  // the row of the same variable before each row; 0 where there is none
        std::vector<std::size_t> last(problem_->iteration().sizes.size(), 0);
        for (std::size_t r = 0; r < n; ++r) before[r] = std::exchange(last[row(r).variable], r);
        for (std::size_t i = 0; i < intervals.size(); ++i)
            if (intervals[i].last_use > 0) meaning_[intervals[i].last_use] = {i, swap_choice::offload};
        std::vector<std::int64_t> again(last.size(), 0);
        // Rows are scarce, and the longest interval of a variable is that worth removing: it chooses first.
        std::vector<std::size_t> order(intervals.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::stable_sort(order, std::greater<>{},
                                 [&](std::size_t i) { return intervals[i].next_use - intervals[i].last_use; });
        for (auto const i : order) {
            if (!intervals[i].is_removable) continue;
            again[intervals[i].variable] = problem_->at(intervals[i].producer).time;
            auto r = before[intervals[i].last_use];
            while (r > 0 && meaning_[r].choice != swap_choice::keep) r = before[r];
            if (r > 0) meaning_[r] = {i, swap_choice::remove};
        }
        features_.resize(n);
        std::vector<std::int64_t> next(last.size(), -1);  // when the variable's next row begins
        for (auto r = n; r-- > 0;) {
            auto const v = row(r).variable;
            auto const size = problem_->iteration().sizes[v];
            auto const soon = next[v] < 0 ? problem_->iteration().duration : next[v] - row(r).begin;
            auto& x = features_[r];
            x[node_feature::size] = static_cast<double>(size);
            x[node_feature::copy_time] = static_cast<double>(options_.link.copy_time(size));
            x[node_feature::compute_time] = static_cast<double>(again[v]);
            x[node_feature::revisited_in] = static_cast<double>(soon);
            x[node_feature::action] = static_cast<double>(meaning_[r].choice);
            next[v] = row(r).begin;
        }
    }
    /// The first row after this one that begins when a copy out that begins now, or with the interval, has ended.
    [[nodiscard]] auto end_of_copy(std::size_t interval) const -> std::size_t {
        auto const& i = problem_->intervals()[interval];
        if (i.last_use > current_) return current_ + 1;  // it wraps, and is copied at the end of the iteration
        auto const end = checked_add(result_.row_begin[current_], options_.link.copy_time(problem_->size(i)));
        auto const from = result_.row_begin.begin() + static_cast<std::ptrdiff_t>(current_ + 1);
        return static_cast<std::size_t>(std::lower_bound(from, result_.row_begin.end(), end) -
                                        result_.row_begin.begin());
    }
    /// Finds the valid actions, at the next row that has some.
    void look() {
        for (;; ++current_) {
            for (auto const v : valid_) is_valid_[v] = false;
            valid_.clear();
            is_valid_.resize(problem_->row_count(), false);
            if (result_.feasible) return;
            bool const stuck = current_ >= last_row();  // a plan may overfill rows that the agent has passed
            if (!stuck) valid_.push_back(0);
            for (std::size_t v = 1; v < meaning_.size(); ++v)
                if (is_offered(meaning_[v])) valid_.push_back(v);
            for (auto const v : valid_) is_valid_[v] = true;
            bool const has_choice = valid_.size() > (stuck ? 0U : 1U);
            if (stuck || has_choice || !agent_.skip_rows) return;
        }
    }
    [[nodiscard]] auto is_offered(action_of_node const& a) const -> bool {
        if (a.choice == swap_choice::keep || plan_[a.interval] != swap_choice::keep) return false;
        auto const& i = problem_->intervals()[a.interval];
        return i.holds(current_) && (!agent_.only_helpful || i.may_be_absent(result_.first_overfull));
    }

    swap_problem const* problem_;
    swap_options options_;
    swap_agent_options agent_;
    std::vector<action_of_node> meaning_{};  // of every row
    std::vector<node_features> features_{};
    std::vector<bool> is_valid_{};  // of every row
    swap_result keep_{}, result_{};
    swap_plan plan_{};
    std::size_t current_ = 0;
    std::vector<std::size_t> valid_{};
};

static_assert(planning_environment<swap_environment>);

}  // namespace repebble::inline v0

#endif
