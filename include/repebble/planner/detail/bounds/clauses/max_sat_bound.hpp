#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_CLAUSES_MAX_SAT_BOUND_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_CLAUSES_MAX_SAT_BOUND_HPP

// A lower bound by core-guided MaxSAT over a chain of many cuts (`schedule_encoding`). Lagrangian multipliers on bytes
// (`multi_cut_search`) are weak where only a few large values fit, since half of a value saves half of its time there;
// here every value is kept or is not. `max_sat_search` runs it beside the annealing, as long as it makes progress.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/satisfiability/conflict_search.hpp>
#include <repebble/detail/satisfiability/core_guided_search.hpp>
#include <repebble/planner/detail/bounds/clauses/schedule_encoding.hpp>
#include <repebble/planner/detail/bounds/one_cut/first_run_cut.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>
#include <repebble/planner/effort.hpp>

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

}  // namespace repebble::inline v0::detail

#endif
