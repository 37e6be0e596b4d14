#ifndef REPEBBLE_IMPL_PLANNER_STARTS_REPAIR_BY_FORCING_IPP
#define REPEBBLE_IMPL_PLANNER_STARTS_REPAIR_BY_FORCING_IPP

#include <repebble/planner/detail/starts/repair_by_forcing.hpp>

#include <algorithm>
#include <utility>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/planner/detail/bounds/one_cut/cut_search.hpp>
#include <repebble/planner/detail/bounds/one_cut/sequence_of_cuts.hpp>
#include <repebble/planner/detail/model/sequence_loads.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto violated_recomputation(planning_model const& m, std::span<operation_index const> computations,
                                            bytes budget) -> std::optional<operation_index> {
    auto const loads = sequence_loads(m, computations);
    auto const most = std::ranges::max_element(loads);
    if (most == loads.end() || *most <= budget) return std::nullopt;
    auto const step = computations.begin() + (most - loads.begin());
    if (std::find(computations.begin(), step, *step) == step) return std::nullopt;
    return *step;
}

REPEBBLE_INLINE auto repair_by_forcing(first_run_cut const& cut, bytes budget, bytes share, std::size_t limit,
                                       std::size_t& rounds,
                                       function_ref<void(std::vector<operation_index> const&)> first, stop_test stop)
    -> std::optional<std::vector<operation_index>> {
    auto const& m = cut.model();
    auto const& e = m.effort;
    std::optional<std::vector<operation_index>> made;
    std::vector<cut_decision> decisions;
    for (std::size_t round = 0; round < e.most_forcing_rounds && rounds > 0 && !stop(); ++round) {
        cut_search search(cut, share, stop, decisions);
        search.branch(e.repair_subproblems, stop);
        if (!search.feasible() || !search.best()) break;
        auto next = sequence_of_cuts(cut, *search.best(), recomputed_until::last_use, limit);
        if (!next) break;
        --rounds;
        if (round == 0) first(*next);
        made = std::move(next);
        auto const again = violated_recomputation(m, *made, budget);
        if (!again) break;
        auto const before = decisions.size();
        for (auto const x : m.writes[*again]) {
            bool const known = std::ranges::any_of(decisions, [&](auto const& d) { return d.value == x; });
            if (!known && !m.readers[x].empty() && m.sizes[x] > 0 && !cut.is_input(x) && !cut.is_produced_after(x))
                decisions.push_back({x, true});
        }
        if (decisions.size() == before) break;
    }
    return made;
}

}  // namespace repebble::inline v0::detail

#endif
