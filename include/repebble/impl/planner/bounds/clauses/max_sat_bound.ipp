#ifndef REPEBBLE_IMPL_PLANNER_BOUNDS_CLAUSES_MAX_SAT_BOUND_IPP
#define REPEBBLE_IMPL_PLANNER_BOUNDS_CLAUSES_MAX_SAT_BOUND_IPP

#include <repebble/planner/detail/bounds/clauses/max_sat_bound.hpp>

#include <algorithm>
#include <limits>
#include <optional>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto tightest_cuts(planning_model const& m, bytes budget, std::size_t most)
    -> std::vector<first_run_cut> {
    auto const n = m.operation_count();
    auto const capacity_of = [&](operation_index v) { return capacity_beside(m, v, budget); };
    auto const most_free = budget - budget / m.effort.loose_cut_part;
    auto const is_eligible = [&](operation_index v) { return m.required[v] && capacity_of(v) <= most_free; };
    std::vector<std::size_t> lengths(n, 0);
    std::vector<std::optional<operation_index>> before(n);
    std::optional<operation_index> end;
    for (auto const v : m.order) {
        for (auto const x : m.reads[v]) {
            if (m.producers[x].size() != 1) continue;
            auto const p = m.producers[x].front();
            if (before[v] && lengths[*before[v]] >= lengths[p]) continue;
            before[v] = p;
        }
        lengths[v] = (before[v] ? lengths[*before[v]] : 0) + (is_eligible(v) ? 1 : 0);
        if (!end || lengths[v] > lengths[*end]) end = v;
    }
    std::vector<operation_index> chain;
    for (auto v = end; v; v = before[*v])
        if (is_eligible(*v)) chain.push_back(*v);
    std::ranges::reverse(chain);
    if (chain.size() > most) {
        std::vector<bytes> capacities;
        for (auto const v : chain) capacities.push_back(capacity_of(v));
        std::ranges::nth_element(capacities, capacities.begin() + static_cast<std::ptrdiff_t>(most));
        // Of cuts as tight as the limit, some are taken, evenly.
        auto const limit = capacities[most];
        auto const ties = static_cast<std::size_t>(
            std::ranges::count_if(chain, [&](operation_index v) { return capacity_of(v) == limit; }));
        auto const tied = most - static_cast<std::size_t>(std::ranges::count_if(
                                     chain, [&](operation_index v) { return capacity_of(v) < limit; }));
        std::size_t seen = 0;
        std::erase_if(chain, [&](operation_index v) {
            if (capacity_of(v) != limit) return capacity_of(v) > limit;
            auto const k = seen++;
            return (k + 1) * tied / ties == k * tied / ties;
        });
    }
    std::vector<first_run_cut> cuts;
    for (auto const v : chain) cuts.emplace_back(m, v);
    return cuts;
}

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
