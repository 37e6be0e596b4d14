#ifndef REPEBBLE_IMPL_PLANNER_BOUNDS_SEVERAL_CUTS_VIOLATED_CUTS_IPP
#define REPEBBLE_IMPL_PLANNER_BOUNDS_SEVERAL_CUTS_VIOLATED_CUTS_IPP

#include <repebble/planner/detail/bounds/several_cuts/violated_cuts.hpp>

#include <cstddef>
#include <functional>
#include <utility>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/detail/sort_by.hpp>
#include <repebble/planner/detail/model/sequence_loads.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto violated_cuts(planning_model const& m, std::span<operation_index const> computations, bytes budget)
    -> std::vector<operation_index> {
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
