#ifndef REPEBBLE_IMPL_PLANNER_STARTS_EXACT_START_IPP
#define REPEBBLE_IMPL_PLANNER_STARTS_EXACT_START_IPP

#include <repebble/planner/detail/starts/exact_start.hpp>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto computations_of(schedule<> const& made) -> std::vector<operation_index> {
    std::vector<operation_index> all;
    for (auto const& s : made.steps)
        if (s.what == action::compute) all.push_back(s.vertex);
    return all;
}

REPEBBLE_INLINE auto exact_start::search(std::optional<std::int64_t> known, std::size_t states, stop_test stop) -> answer {
    answer out;
    if (!is_open_) return out;
    if (!search_) search_.emplace(flow_, budget_);
    knew_ = knew_ || known;
    auto const optimum = search_->go_on({.limits = {.work = states, .stop = stop}, .below = known});
    out.infeasible = optimum.proven && !optimum.schedule && !knew_;
    // A plan that runs views with their owners, as all here do, may not be the best where views take time.
    if (!views_take_time()) out.lower_bound = optimum.lower_bound - m_.time_once;
    if (optimum.schedule) out.found = {"optimal_pebbling", computations_of(*optimum.schedule)};
    if (optimum.proven) {
        is_open_ = false;
        search_.reset();
    }
    return out;
}

REPEBBLE_INLINE auto exact_start::is_small(dataflow const& flow, planning_model const& m) -> bool {
    auto const largest = m.effort.most_exact_operations;
    if (m.operation_count() > largest || m.value_count() > largest) return false;
    for (std::size_t x = 0; x < flow.value_count(); ++x)
        if (flow.is_view(x)) return false;
    return true;
}

}  // namespace repebble::inline v0::detail

#endif
