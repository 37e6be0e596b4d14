#ifndef REPEBBLE_PEBBLING_DETAIL_SCHEDULE_IN_ORDER_HPP
#define REPEBBLE_PEBBLING_DETAIL_SCHEDULE_IN_ORDER_HPP

// The schedule of an order in which every operation runs once. `make_schedule` decides the discards; views are merged
// first, so that a value can be written over though it has a view.

#include <span>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble::inline v0::detail {

/// Returns the schedule that runs every operation of a dataflow once, in that order, and discards every value after its
/// last reader; results stay. Views that lie in one storage run right after it is written, wherever the order has them.
/// Steps are in place where the dataflow allows that.  Requires: a topological order of all operations.  O(n + m).
[[nodiscard]] auto schedule_in_order(dataflow const& flow, std::span<operation_index const> order) -> schedule<>;

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/pebbling/schedule_in_order.ipp>
#endif

#endif
