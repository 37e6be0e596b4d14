#ifndef REPEBBLE_OFFLOAD_SWAP_ENVIRONMENT_HPP
#define REPEBBLE_OFFLOAD_SWAP_ENVIRONMENT_HPP

// The environment of Chen, sections 4.4 to 4.8: an agent walks along the rows of a trace and offloads, removes, or does
// nothing. A planning_environment over `simulate_swaps`, for fitted_q_iteration and for random choice.
// Invariant: the rewards of an episode sum to minus the overhead of its plan, exactly, and twice the iteration less
// where it came to a dead end.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <repebble/offload/planning_environment.hpp>
#include <repebble/traces/simulate_swaps.hpp>
#include <repebble/traces/swap_problem.hpp>

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
    swap_environment(swap_problem const& problem, swap_options const& options, swap_agent_options const& agent = {});

    /// Rows.
    [[nodiscard]] auto node_count() const -> std::size_t { return problem_->row_count(); }
    /// The six features of a row (section 4.4.1; points 5, 6); all but the last stay what they are.
    [[nodiscard]] auto features(std::size_t v) const -> node_features;
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
    auto act(std::size_t node) -> std::int64_t;
    /// Whether the episode is over.
    [[nodiscard]] auto terminal() const noexcept -> bool { return valid_.empty(); }
    /// Whether the plan so far fits.
    [[nodiscard]] auto feasible() const noexcept -> bool { return result_.feasible; }
    /// Back to the first row, with nothing decided.
    void reset();

    /// The plan so far.
    [[nodiscard]] auto plan() const noexcept -> swap_plan const& { return plan_; }
    /// The plan of a set of actions: of `planned_actions::nodes`, for instance.  Requires: nodes that stand for
    /// actions.
    [[nodiscard]] auto plan_of(std::vector<std::size_t> const& nodes) const -> swap_plan;
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

    void find_nodes();
    /// The first row after this one that begins when a copy out that begins now, or with the interval, has ended.
    [[nodiscard]] auto end_of_copy(std::size_t interval) const -> std::size_t;
    /// Finds the valid actions, at the next row that has some.
    void look();
    [[nodiscard]] auto is_offered(action_of_node const& a) const -> bool;

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

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/offload/swap_environment.ipp>
#endif

#endif
