#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_CLAUSES_MAX_SAT_SEARCH_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_CLAUSES_MAX_SAT_SEARCH_HPP

// Decides how much work the MaxSAT bound (`max_sat_bound`) gets: it is worth its time on small graphs when a plan is at
// hand, as long as it exceeds all other bounds or may come to do so. Used by `budget_search`.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include <repebble/planner/detail/bounds/clauses/max_sat_bound.hpp>
#include <repebble/planner/detail/bounds/clauses/tightest_cuts.hpp>
#include <repebble/planner/detail/model/deadline.hpp>
#include <repebble/planner/detail/model/effort.hpp>
#include <repebble/planner/detail/model/incumbent.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>
#include <repebble/planner/detail/model/sequence_loads.hpp>
#include <repebble/planner/plan_options.hpp>

namespace repebble::inline v0::detail {

/// The MaxSAT bound of one budget, resumable.
class max_sat_search {
  public:
    /// Refers to all of them; `found` hears of the bounds.
    max_sat_search(planning_model const& m, bytes budget, plan_options const& options, deadline& clock,
                   incumbent& found)
        : m_(m), budget_(budget), options_(options), clock_(clock), found_(found) {}

    /// Raises the bound by a share of the usual work, or, where time is limited, until `until` of the limit is over and
    /// a tenth of the limit was spent here. Does nothing on large graphs, or where no plan is known.
    void improve(double share, double until) {
        if (!is_of_use()) return;
        auto const cutoff = found_.overhead();
        if (!bound_)
            bound_.emplace(m_, tightest_cuts(m_, budget_, effort::most_literals / m_.operation_count()), budget_,
                           cutoff);
        bound_->lower(cutoff);
        max_sat_progress progress(*bound_);
        auto const begin = clock_.seconds();
        auto const is_late = [&] {
            return clock_.is_over(until) &&
                   clock_.seconds() - begin >= effort::least_max_sat_share * options_.time_limit.value_or(0);
        };
        auto const known = found_.lower_bound();
        auto const most =
            options_.time_limit ? std::numeric_limits<double>::infinity() : share * effort::usual_max_sat_work;
        bound_->improve([&] {
            found_.raise_bound(bound_->bound());
            bool const over = is_done() || is_late() || static_cast<double>(progress.work()) >= most;
            return over || !progress.is_promising(known);
        });
        found_.raise_bound(bound_->bound());
        constexpr int much = 8;  // an eighth of the gap
        leads_ = leads_ || bound_->bound() > known + (cutoff - known) / much;
    }

    /// Whether this bound closed much of the gap that all others left.
    [[nodiscard]] auto leads() const noexcept -> bool { return leads_; }

  private:
    [[nodiscard]] auto is_done() const -> bool { return clock_.is_over(1) || found_.is_enough(found_.time()); }
    [[nodiscard]] auto is_of_use() const -> bool {
        return found_.best() != nullptr && !is_done() && m_.operation_count() <= large_flow && can_add_up(m_);
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

#endif
