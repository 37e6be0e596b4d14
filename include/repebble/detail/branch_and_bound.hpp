#ifndef REPEBBLE_DETAIL_BRANCH_AND_BOUND_HPP
#define REPEBBLE_DETAIL_BRANCH_AND_BOUND_HPP

// Best-first branch and bound for a least time: the open subproblems, the bound that they leave, and the loop that
// branches in two. The searches at one cut and at several cuts of the planner use it; what a subproblem is, and how it
// is bounded, is theirs.
// Invariant: bound() is a lower bound on all that was pushed, also while a subproblem is branched on.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include <repebble/detail/function_ref.hpp>

namespace repebble::inline v0::detail {

/// `Subproblem` has `bound`, a lower bound on its times, and `decisions`, of which size() is its depth.
template <class Subproblem>
class branch_and_bound {
  public:
    static constexpr auto none = std::numeric_limits<std::int64_t>::max();

    /// Lower bound on the time of everything that is open; `none` where nothing is.
    [[nodiscard]] auto bound() const -> std::int64_t { return std::min({least_open(), leaf_bound_, current_bound_}); }
    /// Whether no subproblem is left to branch on; the least bound of the leaves.
    [[nodiscard]] auto empty() const noexcept -> bool { return order_.empty(); }
    [[nodiscard]] auto leaf_bound() const noexcept -> std::int64_t { return leaf_bound_; }
    /// Whether branching cannot find a time below `target`.
    [[nodiscard]] auto is_solved(std::int64_t target) const -> bool { return least_open() >= target; }

    /// Adds a subproblem to branch on.
    void push(Subproblem subproblem) {
        order_.push({subproblem.bound, subproblem.decisions.size(), open_.size()});
        open_.push_back(std::move(subproblem));
    }
    /// Adds a subproblem without a decision to branch on.
    void push_leaf(std::int64_t bound) { leaf_bound_ = std::min(leaf_bound_, bound); }
    /// Starts again: calls evaluate(), which pushes the root, of all of which `bound` is a bound.
    template <class Evaluate>
    void begin(std::int64_t bound, Evaluate const& evaluate) {
        order_ = {};
        open_.clear();
        leaf_bound_ = none;
        current_bound_ = bound;
        evaluate();
        current_bound_ = none;
    }
    /// Branches until branching cannot find a time below target(), or `stop()` returns true: takes the subproblem of
    /// least bound, the deepest of several, and calls evaluate(subproblem, yes) for both answers to its decision.
    template <class Target, class Evaluate>
    void branch(Target const& target, stop_test stop, Evaluate const& evaluate) {
        while (!is_solved(target()) && !stop()) {
            auto const whole = std::move(open_[order_.top().index]);
            order_.pop();
            current_bound_ = whole.bound;
            for (bool const yes : {true, false}) evaluate(whole, yes);
            current_bound_ = none;
        }
    }

  private:
    struct entry {
        std::int64_t bound;
        std::size_t depth, index;
        friend auto operator<(entry const& a, entry const& b) -> bool {
            return a.bound != b.bound ? a.bound > b.bound : a.depth < b.depth;
        }
    };
    [[nodiscard]] auto least_open() const -> std::int64_t { return order_.empty() ? none : order_.top().bound; }

    std::priority_queue<entry> order_;
    std::vector<Subproblem> open_;  // by index; those that were branched on are empty
    std::int64_t leaf_bound_ = none;
    std::int64_t current_bound_ = none;  // of the subproblem that is branched on
};

}  // namespace repebble::inline v0::detail

#endif
