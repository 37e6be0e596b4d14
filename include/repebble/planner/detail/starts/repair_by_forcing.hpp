#ifndef REPEBBLE_PLANNER_DETAIL_STARTS_REPAIR_BY_FORCING_HPP
#define REPEBBLE_PLANNER_DETAIL_STARTS_REPAIR_BY_FORCING_HPP

// A primal heuristic: repair by forcing. The choice at a cut is solved again with the values forced whose recomputation
// exceeded the budget.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/planner/detail/bounds/one_cut/cut_search.hpp>
#include <repebble/planner/detail/bounds/one_cut/first_run_cut.hpp>
#include <repebble/planner/detail/bounds/one_cut/sequence_of_cuts.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>
#include <repebble/planner/detail/model/sequence_loads.hpp>

namespace repebble::inline v0::detail {

/// Returns the operation at the peak, where that exceeds the budget and the operation is recomputed there; else
/// nothing.
[[nodiscard]] inline auto violated_recomputation(planning_model const& m, std::span<operation_index const> computations,
                                                 bytes budget) -> std::optional<operation_index> {
    auto const loads = sequence_loads(m, computations);
    auto const most = std::ranges::max_element(loads);
    if (most == loads.end() || *most <= budget) return std::nullopt;
    auto const step = computations.begin() + (most - loads.begin());
    if (std::find(computations.begin(), step, *step) == step) return std::nullopt;
    return *step;
}

/// Returns the sequence of the best choice within `share` of the budget; as long as a recomputation exceeds the budget,
/// its outputs are kept at the cut by decision, in at most `rounds` rounds, counted down, or until `stop()` returns
/// true. It need not fit the budget; nothing where there is none. first(sequence) is called with the one without
/// decisions.  O(rounds · (n + m + flows)).
[[nodiscard]] inline auto repair_by_forcing(first_run_cut const& cut, bytes budget, bytes share, std::size_t limit,
                                            std::size_t& rounds,
                                            function_ref<void(std::vector<operation_index> const&)> first,
                                            stop_test stop) -> std::optional<std::vector<operation_index>> {
    constexpr std::size_t parts = 20, most_rounds = 12;
    auto const& m = cut.model();
    std::optional<std::vector<operation_index>> made;
    std::vector<cut_decision> decisions;
    for (std::size_t round = 0; round < most_rounds && rounds > 0 && !stop(); ++round) {
        cut_search search(cut, share, stop, decisions);
        search.branch(parts, stop);
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
