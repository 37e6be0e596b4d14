#ifndef REPEBBLE_PLANNER_DETAIL_MODEL_MEMORY_FLOOR_HPP
#define REPEBBLE_PLANNER_DETAIL_MODEL_MEMORY_FLOOR_HPP

// The memory floor: the bytes of the largest required operation with its inputs, outputs and workspace. No schedule
// fits a smaller budget. The planner reports it and rejects smaller budgets at once.

#include <repebble/graph/quantity.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>

namespace repebble::inline v0::detail {

/// A lower bound on the peak of every schedule, and the operation that causes it.
struct operation_floor {
    bytes size = 0;
    operation_index operation = 0;
};

[[nodiscard]] inline auto floor_of(planning_model const& m) -> operation_floor {
    operation_floor floor;
    for (operation_index v = 0; v < m.operation_count(); ++v) {
        if (!m.required[v]) continue;
        bytes needed = m.operations[v].own;
        for (auto const x : m.reads[v]) needed = checked_add(needed, m.sizes[x]);
        if (needed > floor.size) floor = {needed, v};
    }
    return floor;
}

}  // namespace repebble::inline v0::detail

#endif
