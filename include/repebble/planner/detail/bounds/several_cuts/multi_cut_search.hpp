#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_MULTI_CUT_SEARCH_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_MULTI_CUT_SEARCH_HPP

// Branch and bound over the checkpoints at a chain of cuts and the recomputations between them, best bound first.
// Bounding: `dual_ascent` towards the cutoff. Branching: on the run or value to which most undercounted time is due
// (`branching_score`), else on the most fractional value; decisions are propagated (`propagation`). Every bound is that
// of integer multipliers, and exact; once solved it is the optimum of the cuts.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <variant>
#include <vector>

#include <repebble/detail/branch_and_bound.hpp>
#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/never_stop.hpp>
#include <repebble/planner/detail/bounds/one_cut/first_run_cut.hpp>
#include <repebble/planner/detail/bounds/several_cuts/multi_cut_relaxation.hpp>
#include <repebble/planner/detail/bounds/several_cuts/dual_ascent.hpp>
#include <repebble/planner/detail/bounds/several_cuts/propagation.hpp>

namespace repebble::inline v0::detail {

/// The time that a relaxed solution undercounts, and the branching candidates to which most of it is due.
struct branching_score {
    std::int64_t gap = 0;
    std::int64_t value_gap = 0;                  ///< largest part due to one undecided value that is not kept
    std::optional<checkpoint_decision> value{};  ///< that one
    std::int64_t run_gap = 0;                    ///< largest part due to one undecided run
    std::optional<interval_run> run{};           ///< that one
    std::optional<checkpoint_decision>
        open{};  ///< an undecided output of an operation that the solution runs against a decision
};

/// Scores a solution of the relaxation `chain`.  O(cuts · (n + m)).
[[nodiscard]] auto score_of(propagation const& decided, multi_cut_relaxation const& chain,
                            multi_cut_relaxation::answer const& chosen) -> branching_score;

/// The search of one chain. A run that is excluded from an interval forces its outputs to be kept or excludes their
/// readers, and so decides the values behind it one after the other. Bytes are counted in units, as by
/// `cut_relaxation`.
class multi_cut_search {
  public:
    /// Bounds the root; `stop()` may end that after the first step. Requires: each cut's operation runs after that of
    /// the one before, in every schedule.
    multi_cut_search(std::vector<first_run_cut> cuts, bytes budget, bytes unit, std::int64_t cutoff,
                     std::size_t ascent_steps, stop_test stop = never_stop{});

    [[nodiscard]] auto cuts() const noexcept -> std::vector<first_run_cut> const& { return cuts_; }
    /// Lowers the cutoff: a faster plan is known.
    void lower(std::int64_t cutoff) { cutoff_ = std::min(cutoff_, cutoff); }

    /// Lower bound on the overhead of schedules within the budget; at most `cutoff`.
    [[nodiscard]] auto bound() const -> std::int64_t { return std::min({subproblems_.bound(), best_time_, cutoff_}); }
    /// Whether it is proven that no schedule is within the budget.
    [[nodiscard]] auto infeasible() const -> bool {
        return subproblems_.empty() && !cutoff_reached_ && best_time_ == none && subproblems_.leaf_bound() == none;
    }
    [[nodiscard]] auto is_solved() const -> bool { return subproblems_.is_solved(target()); }
    /// Whether branching can raise the bound by little only, compared with the gap.
    [[nodiscard]] auto is_settled() const -> bool {
        auto const part = constants().settled_part;
        return is_solved() || (best_time_ != none && best_time_ - bound() <= (cutoff_ - bound()) / part);
    }
    /// The fastest choice that fits at all cuts, in units, by cut; empty where none was met.
    [[nodiscard]] auto best() const noexcept -> std::vector<checkpoint_choice> const& { return best_; }
    /// Estimate of the bound after branching: the time of the first relaxed solution with the part that it undercounts.
    [[nodiscard]] auto estimate() const noexcept -> std::int64_t { return estimate_; }
    /// Maximum flows so far.
    [[nodiscard]] auto flows() const noexcept -> std::size_t { return flows_; }

    /// Branches until `stop()` returns true.
    void branch(stop_test stop);

  private:
    static constexpr auto none = std::numeric_limits<std::int64_t>::max();

    struct subproblem {
        std::int64_t bound;
        std::variant<checkpoint_decision, interval_run> next;  // to branch on
        std::vector<double> multipliers;
        branching_decisions decisions;
    };

    [[nodiscard]] auto constants() const -> effort const& { return cuts_.front().model().effort; }
    [[nodiscard]] auto target() const -> std::int64_t {
        return std::min({best_time_, cutoff_, subproblems_.leaf_bound()});
    }
    [[nodiscard]] auto aim() const {
        return [this] { return target(); };
    }
    void evaluate(branching_decisions decisions, std::vector<double> multipliers, std::int64_t bound,
                  std::size_t ascent_steps, stop_test stop);
    /// Keeps the choice as incumbent, if it fits at all cuts and is faster.
    void offer(relaxed_choice const& now, propagation const& decided, capacity_rows const& capacities,
               multi_cut_relaxation const& chain);

    std::vector<first_run_cut> cuts_;
    bytes budget_, unit_;
    std::int64_t cutoff_;
    multiplier_scale scale_;
    bool cutoff_reached_ = false;
    std::int64_t estimate_ = 0;
    std::int64_t best_time_ = none;        // of choices that fit at every cut
    std::vector<checkpoint_choice> best_;  // the fastest choice that fits
    std::size_t flows_ = 0;
    branch_and_bound<subproblem> subproblems_;
};

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/bounds/several_cuts/multi_cut_search.ipp>
#endif

#endif
