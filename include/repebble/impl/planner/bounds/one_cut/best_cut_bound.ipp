#ifndef REPEBBLE_IMPL_PLANNER_BOUNDS_ONE_CUT_BEST_CUT_BOUND_IPP
#define REPEBBLE_IMPL_PLANNER_BOUNDS_ONE_CUT_BEST_CUT_BOUND_IPP

#include <repebble/planner/detail/bounds/one_cut/best_cut_bound.hpp>

#include <algorithm>
#include <cstdint>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/detail/sort_by.hpp>
#include <repebble/planner/detail/model/sequence_loads.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto tight_operations(planning_model const& m, std::size_t most) -> std::vector<operation_index> {
    auto const loads = sequence_loads(m, m.order);
    std::vector<std::uint32_t> by_load;
    for (std::uint32_t at = 0; at < loads.size(); ++at)
        if (m.required[m.order[at]]) by_load.push_back(at);
    sort_numbers(by_load, [&](std::uint32_t a, std::uint32_t b) { return loads[a] > loads[b]; });
    by_load.resize(std::min(most, by_load.size()));
    for (auto& at : by_load) at = m.order[at];
    return by_load;
}

REPEBBLE_INLINE best_cut_bound::best_cut_bound(planning_model const& m, bytes budget, std::span<operation_index const> operations,
               stop_test stop) {
    for (auto const v : operations) {
        if (cut_ && stop()) break;
        first_run_cut cut(m, v);
        auto const r = cut_relaxation(cut, budget, 1, {})
                           .solve(std::numeric_limits<std::int64_t>::max(), cut_ ? first_bound_ : -1, stop);
        if (!r.feasible) {
            infeasible_at_ = v;
            return;
        }
        by_bound_.emplace_back(r.bound, v);
        if (cut_ && r.bound <= first_bound_) continue;
        first_bound_ = r.bound;
        cut_.emplace(std::move(cut));
    }
    sort_by(by_bound_, [](auto const& a, auto const& b) { return a.first > b.first; });
    if (cut_) search_.emplace(*cut_, budget, stop);
}

REPEBBLE_INLINE auto best_cut_bound::forgetful_computations(std::size_t limit) const -> std::optional<std::vector<operation_index>> {
    if (!search_) return std::nullopt;
    auto const& m = cut_->model();
    auto const nothing_kept =
        choice_of(*cut_, [&](operation_index v) { return m.operations[v].recomputable || !cut_->is_before(v); });
    return sequence_of_cuts(*cut_, nothing_kept, recomputed_until::next_use, limit);
}

REPEBBLE_INLINE void best_cut_bound::improve(std::size_t parts, stop_test stop) {
    if (!search_ || is_solved()) return;
    auto const& m = cut_->model();
    auto const& e = m.effort;
    if (!has_unit_)
        search_->choose_unit(byte_units(m, std::max(e.least_units, e.unit_work / (m.operation_count() + 1))), stop);
    has_unit_ = true;
    search_->branch(parts, stop);
}

}  // namespace repebble::inline v0::detail

#endif
