#ifndef REPEBBLE_IMPL_PLANNER_BOUNDS_CLAUSES_MAX_SAT_SEARCH_IPP
#define REPEBBLE_IMPL_PLANNER_BOUNDS_CLAUSES_MAX_SAT_SEARCH_IPP

#include <repebble/planner/detail/bounds/clauses/max_sat_search.hpp>

#include <limits>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/planner/detail/bounds/clauses/tightest_cuts.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE void max_sat_search::improve(double share, double until) {
    if (!is_of_use()) return;
    auto const cutoff = found_.overhead();
    if (!bound_)
        bound_.emplace(m_, tightest_cuts(m_, budget_, m_.effort.most_literals / m_.operation_count()), budget_, cutoff);
    bound_->lower(cutoff);
    max_sat_progress progress(*bound_);
    auto const begin = clock_.seconds();
    auto const is_late = [&] {
        return clock_.is_over(until) &&
               clock_.seconds() - begin >= m_.effort.least_max_sat_share * options_.limits.seconds.value_or(0);
    };
    auto const known = found_.lower_bound();
    auto const most =
        options_.limits.seconds ? std::numeric_limits<double>::infinity() : share * m_.effort.usual_max_sat_work;
    bound_->improve([&] {
        found_.raise_bound(bound_->bound());
        bool const over = is_done() || is_late() || static_cast<double>(progress.work()) >= most;
        return over || !progress.is_promising(known);
    });
    found_.raise_bound(bound_->bound());
    leads_ = leads_ || bound_->bound() > known + (cutoff - known) / m_.effort.leading_part;
}

}  // namespace repebble::inline v0::detail

#endif
