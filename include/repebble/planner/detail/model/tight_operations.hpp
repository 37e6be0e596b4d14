#ifndef REPEBBLE_PLANNER_DETAIL_MODEL_TIGHT_OPERATIONS_HPP
#define REPEBBLE_PLANNER_DETAIL_MODEL_TIGHT_OPERATIONS_HPP

// Operations whose first runs are promising cuts: those with most resident bytes in the model's order, where every
// value is kept. The bound by one cut tries them in this order.

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <repebble/planner/detail/model/planning_model.hpp>
#include <repebble/planner/detail/model/sequence_loads.hpp>

namespace repebble::inline v0::detail {

/// Returns up to `most` required operations by descending resident bytes beside them in the model's order.  O(n log
/// most + sum of reads and writes).
[[nodiscard]] inline auto tight_operations(planning_model const& m, std::size_t most) -> std::vector<operation_index> {
    auto const loads = sequence_loads(m, m.order);
    std::vector<std::pair<bytes, std::size_t>> by_load;
    for (std::size_t at = 0; at < loads.size(); ++at)
        if (m.required[m.order[at]]) by_load.emplace_back(-loads[at], at);
    auto const count = std::min(most, by_load.size());
    std::partial_sort(by_load.begin(), by_load.begin() + static_cast<std::ptrdiff_t>(count), by_load.end());
    std::vector<operation_index> busiest;
    for (std::size_t k = 0; k < count; ++k) busiest.push_back(m.order[by_load[k].second]);
    return busiest;
}

}  // namespace repebble::inline v0::detail

#endif
