#ifndef REPEBBLE_IMPL_PLANNER_MODEL_TIGHT_OPERATIONS_IPP
#define REPEBBLE_IMPL_PLANNER_MODEL_TIGHT_OPERATIONS_IPP

#include <repebble/planner/detail/model/tight_operations.hpp>

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

}  // namespace repebble::inline v0::detail

#endif
