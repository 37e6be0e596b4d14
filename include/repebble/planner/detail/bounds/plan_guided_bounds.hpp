#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_PLAN_GUIDED_BOUNDS_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_PLAN_GUIDED_BOUNDS_HPP

#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include <repebble/planner/detail/annealing/cooling_run.hpp>
#include <repebble/planner/detail/bounds/clauses/max_sat_bound.hpp>
#include <repebble/planner/detail/bounds/clauses/tightest_cuts.hpp>
#include <repebble/planner/detail/bounds/one_cut/best_cut_bound.hpp>
#include <repebble/planner/detail/bounds/several_cuts/grow_cuts.hpp>
#include <repebble/planner/detail/bounds/several_cuts/tight_cuts.hpp>
#include <repebble/planner/detail/model/deadline.hpp>
#include <repebble/planner/detail/model/incumbent.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>
#include <repebble/planner/detail/model/sequence_loads.hpp>
#include <repebble/planner/plan_options.hpp>

namespace repebble::inline v0::detail {

/// Bounds that are worth their time when a good plan is at hand: nothing is said where none is, nor of large graphs.
class plan_guided_bounds {
  public:
    /// `found` is told what is bounded; all are referred to.
    plan_guided_bounds(planning_model const& m, bytes budget, plan_options const& options, deadline& clock,
                       incumbent& found)
        : m_(m), budget_(budget), options_(options), clock_(clock), found_(found) {}

    /// What moments say at which the best plan is full, by so many flows over the model where time is not limited, or
    /// until that share of the limit is over.
    void bound_by_plan(best_cut_bound const& cut, std::size_t most_flows, double until) {
        if (!is_asked() || cut.moments().empty()) return;
        auto at = promising_cuts(m_, cut.moments(), found_.best()->computations, budget_);
        grow_cuts grown(m_, budget_, cut.unit(), std::move(at), cut.bound());
        auto const flows = options_.time_limit ? std::numeric_limits<std::size_t>::max() : most_flows;
        grown.grow(found_.overhead(), flows, [&] { return clock_.is_over(until - 0.05); });
        found_.raise_bound(grown.bound());
        if (grown.bound() > found_.lower_bound() - (found_.overhead() - found_.lower_bound()) / 2)
            grown.divide(found_.overhead(), flows, [&] { return clock_.is_over(until); });
        found_.raise_bound(grown.bound());
        infeasible_ = grown.infeasible();
    }
    /// What cores say, as long as that is more than all else, or may become so: by that share of the usual work where
    /// time is not limited; else until that share of the limit is over, but a tenth of the limit at least. Goes on
    /// where it ended.
    void bound_by_cores(double share, double until) {
        constexpr std::size_t most_literals = 20'000;
        constexpr double usual = 20'000'000;
        if (!is_asked() || !can_add_up(m_)) return;
        auto const enough = found_.overhead();
        if (!cores_)
            cores_.emplace(m_, tightest_cuts(m_, budget_, most_literals / m_.operation_count()), budget_, enough);
        cores_->lower(enough);
        max_sat_progress progress(*cores_);
        auto const begin = clock_.seconds();
        auto const is_late = [&] {
            constexpr double least = 0.1;
            return clock_.is_over(until) && clock_.seconds() - begin >= least * options_.time_limit.value_or(0);
        };
        auto const known = found_.lower_bound();
        auto const most = options_.time_limit ? std::numeric_limits<double>::infinity() : share * usual;
        cores_->improve([&] {
            found_.raise_bound(cores_->bound());
            bool const over = is_done() || is_late() || static_cast<double>(progress.work()) >= most;
            return over || !progress.is_promising(known);
        });
        found_.raise_bound(cores_->bound());
        constexpr int worth_it = 8;  // a part of what is missing
        cores_lead_ = cores_lead_ || cores_->bound() > known + (enough - known) / worth_it;
    }

    [[nodiscard]] auto infeasible() const noexcept -> bool { return infeasible_; }
    /// Whether cores found much that nothing else did.
    [[nodiscard]] auto cores_lead() const noexcept -> bool { return cores_lead_; }

  private:
    [[nodiscard]] auto is_done() const -> bool { return clock_.is_over(1) || found_.is_enough(found_.time()); }
    [[nodiscard]] auto is_asked() const -> bool {
        return found_.best() && !is_done() && m_.operation_count() <= large_flow;
    }

    planning_model const& m_;
    bytes budget_;
    plan_options const& options_;
    deadline& clock_;
    incumbent& found_;
    bool infeasible_ = false, cores_lead_ = false;
    std::optional<max_sat_bound> cores_;
};

}  // namespace repebble::inline v0::detail

#endif
