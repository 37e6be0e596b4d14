#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_TIGHT_CUTS_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_TIGHT_CUTS_HPP

// Candidate cuts from a known plan: first runs during which it fills the budget.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <utility>
#include <vector>

#include <repebble/planner/detail/model/planning_model.hpp>
#include <repebble/planner/detail/model/sequence_loads.hpp>

namespace repebble::inline v0::detail {

/// Returns the required operations whose first runs are local maxima of resident bytes within 5 % of the budget,
/// largest first.  O(steps · log steps).
[[nodiscard]] inline auto tight_cuts(planning_model const& m, std::vector<operation_index> const& computations,
                                     bytes budget) -> std::vector<operation_index> {
    auto const least = budget - budget / 20;
    auto const loads = sequence_loads(m, computations);
    std::vector<bool> seen(m.operation_count(), false);
    std::vector<std::pair<bytes, operation_index>> first_runs, full;
    for (std::size_t k = 0; k < computations.size(); ++k) {
        auto const v = computations[k];
        if (!seen[v] && m.required[v]) first_runs.emplace_back(loads[k], v);
        seen[v] = true;
    }
    for (std::size_t k = 0; k < first_runs.size(); ++k) {
        auto const load = first_runs[k].first;
        bool const falls = k + 1 == first_runs.size() || first_runs[k + 1].first < load;
        if (load >= least && falls && (k == 0 || first_runs[k - 1].first <= load)) full.push_back(first_runs[k]);
    }
    std::ranges::stable_sort(full, std::greater<>{}, &std::pair<bytes, operation_index>::first);
    std::vector<operation_index> all;
    for (auto const& [load, v] : full) all.push_back(v);
    return all;
}

/// Returns the strongest cut alone, the tightest ones of a plan, and some more of `strongest`, which is not empty.
[[nodiscard]] inline auto promising_cuts(planning_model const& m, std::vector<operation_index> const& strongest,
                                         std::vector<operation_index> const& computations, bytes budget)
    -> std::vector<operation_index> {
    constexpr std::size_t most_full = 16, most_strong = 4;
    std::vector all{strongest.front()};
    std::ranges::copy(tight_cuts(m, computations, budget) | std::views::take(most_full), std::back_inserter(all));
    std::ranges::copy(strongest | std::views::take(most_strong) | std::views::drop(1), std::back_inserter(all));
    return all;
}

}  // namespace repebble::inline v0::detail

#endif
