#ifndef REPEBBLE_PLANNER_DETAIL_MODEL_TIGHT_OPERATIONS_HPP
#define REPEBBLE_PLANNER_DETAIL_MODEL_TIGHT_OPERATIONS_HPP

// Operations whose first runs are promising cuts: those with most resident bytes in the model's order, where every
// value is kept. The bound by one cut tries them in this order.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <repebble/detail/sort_by.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>
#include <repebble/planner/detail/model/sequence_loads.hpp>

namespace repebble::inline v0::detail {

/// Returns up to `most` required operations by descending resident bytes beside them in the model's order.  O(n log
/// n + sum of reads and writes).
[[nodiscard]] inline auto tight_operations(planning_model const& m, std::size_t most) -> std::vector<operation_index> {
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
