#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_CLAUSES_MAX_SAT_SEARCH_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_CLAUSES_MAX_SAT_SEARCH_HPP

// Decides how much work the MaxSAT bound (`max_sat_bound`) gets: it is worth its time on small graphs when a plan is at
// hand, as long as it exceeds all other bounds or may come to do so. Its cuts are a longest path over tight ones in the
// dependency graph. Used by `budget_search`.

#include <cstddef>
#include <optional>
#include <vector>

#include <repebble/planner/detail/bounds/clauses/max_sat_bound.hpp>
#include <repebble/planner/detail/bounds/one_cut/first_run_cut.hpp>
#include <repebble/planner/detail/model/deadline.hpp>
#include <repebble/planner/detail/model/incumbent.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>
#include <repebble/planner/detail/model/sequence_loads.hpp>
#include <repebble/planner/detail/model/usual_work.hpp>
#include <repebble/planner/plan_options.hpp>

namespace repebble::inline v0::detail {

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
#include <repebble/impl/planner/bounds/clauses/max_sat_search.ipp>
#endif

#endif
