#ifndef REPEBBLE_PLANNER_DETAIL_MODEL_TIGHT_OPERATIONS_HPP
#define REPEBBLE_PLANNER_DETAIL_MODEL_TIGHT_OPERATIONS_HPP

// Operations whose first runs are promising cuts: those with most resident bytes in the model's order, where every
// value is kept. The bound by one cut tries them in this order.

#include <cstddef>
#include <vector>

#include <repebble/planner/detail/model/planning_model.hpp>

namespace repebble::inline v0::detail {

/// Returns up to `most` required operations by descending resident bytes beside them in the model's order.  O(n log
/// n + sum of reads and writes).
[[nodiscard]] auto tight_operations(planning_model const& m, std::size_t most) -> std::vector<operation_index>;

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/model/tight_operations.ipp>
#endif

#endif
