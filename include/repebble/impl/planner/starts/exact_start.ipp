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
    if (!search_) {
        is_open_ = optimal_search::takes(flow_);
        if (!is_open_) return out;
        search_.emplace(flow_, budget_);
    }
    knew_ = knew_ || known;
    auto optimum = search_->go_on({.limits = {.work = states, .stop = stop}, .below = known});
    out.infeasible = optimum.proven && !optimum.schedule && !knew_;
    if (search_->has_all_moves()) out.lower_bound = optimum.lower_bound - m_.time_once;
    out.found = std::move(optimum.schedule);
    out.optimal = optimum.proven && out.found;
    if (optimum.proven || (out.found && !search_->has_all_moves())) {
        is_open_ = false;
        search_.reset();
    } else if (out.found) {
        // Where the search goes on, it finds the same again.
        if (told_ && *told_ <= optimum.time) out.found.reset();
        told_ = optimum.time;
    }
    return out;
}

}  // namespace repebble::inline v0::detail

#endif
