#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_VIOLATED_CUTS_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_VIOLATED_CUTS_HPP

// Candidate cuts from a relaxed solution: first runs at which its sequence exceeds the budget (separation).

#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include <repebble/detail/sort_by.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>
#include <repebble/planner/detail/model/sequence_loads.hpp>

namespace repebble::inline v0::detail {

/// Returns the required operations at whose first runs the sequence exceeds the budget, largest resident bytes first.
/// O(k log k) for k steps, and their reads and writes.  Requires: each operation comes after producers of its inputs.
[[nodiscard]] inline auto violated_cuts(planning_model const& m, std::span<operation_index const> computations,
                                        bytes budget) -> std::vector<operation_index> {
    auto const loads = sequence_loads(m, computations);
    std::vector<bool> ran(m.operation_count(), false);
    std::vector<std::pair<bytes, std::size_t>> violated;
    for (std::size_t k = 0; k < loads.size(); ++k) {
        auto const v = computations[k];
        if (!ran[v] && m.required[v] && loads[k] > budget) violated.emplace_back(loads[k], k);
        ran[v] = true;
    }
    sort_by(violated, std::greater<>{});
    std::vector<operation_index> all;
    for (auto const& [load, k] : violated) all.push_back(computations[k]);
    return all;
}

}  // namespace repebble::inline v0::detail

#endif
