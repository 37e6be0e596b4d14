#ifndef REPEBBLE_PEBBLING_DETAIL_DROP_UNREAD_HPP
#define REPEBBLE_PEBBLING_DETAIL_DROP_UNREAD_HPP

// Dead code elimination for schedules: computations whose values nobody reads, and copies out that nobody fetches.
// `expand_views` makes every view again with its owner, read or not; annealing leaves copies that cost nothing. The
// planner and the strategies drop both.

#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble::inline v0::detail {

/// By step: a computation of which no value is read before it is discarded, and which the goal does not ask for, or a
/// copy out that is not fetched.
[[nodiscard]] auto unread(dataflow const& flow, schedule<> const& given) -> std::vector<bool>;

/// Returns the schedule without computations of which no value is read, copied out or resident in the end (first ones
/// only of values with readers: alternatives that read something else ran), without copies out that are never fetched,
/// and without the discards of these: legal where the given one is, as complete, in no more time and with no higher
/// peak in either memory. Without copies, a value that only dropped computations read any more is discarded after its
/// last use. Where a dropped computation ended a copy on the host, a discard does. What only dropped ones read may be
/// left; a second call drops it. O(s log s), s the sum of reads and writes of the steps.  Requires: a legal schedule.
[[nodiscard]] auto drop_unread(dataflow const& flow, schedule<> given) -> schedule<>;

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/pebbling/drop_unread.ipp>
#endif

#endif
