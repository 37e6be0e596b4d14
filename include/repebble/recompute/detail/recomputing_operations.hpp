#ifndef REPEBBLE_RECOMPUTE_DETAIL_RECOMPUTING_OPERATIONS_HPP
#define REPEBBLE_RECOMPUTE_DETAIL_RECOMPUTING_OPERATIONS_HPP

// The operations that recompute the values of a planning graph. Shared by greedy_eviction and save_set.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/recompute/planning_graph.hpp>

namespace repebble::inline v0::detail {

/// Returns for every value the forward operation that recomputes it: the first producer that may run twice, or nothing.
[[nodiscard]] inline auto recomputing_operations(planning_graph const& graph)
    -> std::vector<std::optional<operation_index>> {
    auto const& flow = graph.flow();
    std::vector<std::optional<operation_index>> recomputed_by(flow.value_count());
    for (std::size_t x = 0; x < recomputed_by.size(); ++x) {
        auto const again = [&](operation_index u) { return graph.number(u) != graph.none && flow.recomputable(u); };
        auto const found = std::ranges::find_if(flow.producers(x), again);
        if (found != flow.producers(x).end()) recomputed_by[x] = *found;
    }
    return recomputed_by;
}

}  // namespace repebble::inline v0::detail

#endif
