#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_CLAUSES_MAX_SAT_BOUND_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_CLAUSES_MAX_SAT_BOUND_HPP

// A lower bound by core-guided MaxSAT over a chain of many cuts (`schedule_encoding`). Lagrangian multipliers on bytes
// (`multi_cut_search`) are weak where only a few large values fit, since half of a value saves half of its time there;
// here every value is kept or is not. The cuts are a longest path over tight ones in the dependency graph.
// `max_sat_search` runs it beside the annealing, as long as it exceeds all other bounds or may come to do so.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/satisfiability/conflict_search.hpp>
#include <repebble/detail/satisfiability/core_guided_search.hpp>
#include <repebble/planner/detail/bounds/clauses/schedule_encoding.hpp>
#include <repebble/planner/detail/bounds/one_cut/first_run_cut.hpp>
#include <repebble/planner/detail/model/deadline.hpp>
#include <repebble/planner/detail/model/incumbent.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>
#include <repebble/planner/detail/model/sequence_loads.hpp>
#include <repebble/planner/detail/model/usual_work.hpp>
#include <repebble/planner/effort.hpp>
#include <repebble/planner/plan_options.hpp>

namespace repebble::inline v0::detail {

/// The MaxSAT bound of one chain of cuts, resumable.
class max_sat_bound {
  public:
    /// Bounds the overhead of schedules below `cutoff`, the overhead of a known plan.  Requires: as
    /// `schedule_encoding`; cutoff ≥ 0; cutoff plus the encoding's offset fits in 64 bits.
    max_sat_bound(planning_model const& m, std::vector<first_run_cut> chain, bytes budget, std::int64_t cutoff)
        : effort_(m.effort),
          chain_(std::move(chain)),
          encoding_(m, chain_, budget, search_),
          cutoff_(cutoff),
          cores_(search_, cutoff + encoding_.objective_offset()) {
        for (auto const& a : encoding_.recomputations()) cores_.add_cost(a.runs, a.time);
    }
    max_sat_bound(max_sat_bound const&) = delete;  // its parts refer to each other
    auto operator=(max_sat_bound const&) -> max_sat_bound& = delete;

    /// Lowers the cutoff: a faster plan is known.
    void lower(std::int64_t cutoff) {
        cutoff_ = std::min(cutoff_, cutoff);
        cores_.lower(cutoff_ + encoding_.objective_offset());
    }
    /// Searches until `stop()`, which is asked now and then, returns true, or the bound is `cutoff`.
    void improve(stop_test stop) { cores_.run(stop); }
    /// Lower bound on the overhead; `cutoff` where no schedule is below that.
    [[nodiscard]] auto bound() const -> std::int64_t {
        return std::min(std::max<std::int64_t>(0, cores_.bound() - encoding_.objective_offset()), cutoff_);
    }
    /// Whether the bound is final.
    [[nodiscard]] auto is_done() const -> bool { return cores_.is_done(); }
    /// The constants of the model.
    [[nodiscard]] auto constants() const noexcept -> effort const& { return effort_; }
    /// Work done so far, roughly proportional to time.
    [[nodiscard]] auto work() const noexcept -> std::size_t { return search_.work(); }

  private:
    effort const& effort_;
    std::vector<first_run_cut> chain_;
    conflict_search search_;
    schedule_encoding encoding_;
    std::int64_t cutoff_;
    core_guided_search cores_;
};

/// Judges whether more work may raise the bound above another one that is known, by the gain in the second half of the
/// work so far.
class max_sat_progress {
  public:
    /// Refers to the bound.
    explicit max_sat_progress(max_sat_bound const& cores) : cores_(cores), begin_(cores.work()), last_(cores.bound()) {}

    /// Work since the construction.
    [[nodiscard]] auto work() const -> std::size_t { return cores_.work() - begin_; }
    [[nodiscard]] auto is_promising(std::int64_t known) -> bool {
        auto const bound = cores_.bound();
        if (work() < next_check_ || bound > known) return true;
        next_check_ = 2 * work();
        auto const gain = bound - std::exchange(last_, bound);
        auto const& e = cores_.constants();
        auto const near = known - known / e.near_core_part;
        return bound + 2 * gain > known || (work() < e.little_core_work && bound > near);
    }

  private:
    max_sat_bound const& cores_;
    std::size_t begin_, next_check_ = cores_.constants().first_core_check;
    std::int64_t last_;
};

/// Returns the longest chain of cuts, each after the one before in every schedule, that leave at most three quarters of
/// the budget for checkpoints; of a longer chain than `most` the tightest cuts.  O(n + m), and O(n + m) for each cut.
[[nodiscard]] auto tightest_cuts(planning_model const& m, bytes budget, std::size_t most) -> std::vector<first_run_cut>;

/// The MaxSAT bound of one budget, resumable.
class max_sat_search {
  public:
    /// Refers to all of them; `found` hears of the bounds.
    max_sat_search(planning_model const& m, bytes budget, plan_options const& options, deadline& clock,
                   incumbent& found)
        : m_(m), budget_(budget), options_(options), clock_(clock), found_(found) {}

    /// Raises the bound by a share of the usual work, or, where time is limited, until `until` of the limit is over and
    /// a tenth of the limit was spent here. Does nothing on large graphs, or where no plan is known.
    void improve(double share, double until);

    /// Whether this bound closed much of the gap that all others left.
    [[nodiscard]] auto leads() const noexcept -> bool { return leads_; }

  private:
    [[nodiscard]] auto is_done() const -> bool { return clock_.is_over(1) || found_.is_enough(found_.time()); }
    [[nodiscard]] auto is_of_use() const -> bool {
        return found_.best() != nullptr && !is_done() && !is_large(m_) && can_add_up(m_);
    }

    planning_model const& m_;
    bytes budget_;
    plan_options const& options_;
    deadline& clock_;
    incumbent& found_;
    bool leads_ = false;
    std::optional<max_sat_bound> bound_;
};

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/bounds/clauses/max_sat_bound.ipp>
#endif

#endif
