#ifndef REPEBBLE_EXECUTE_MAKE_PLANNED_RECORD_HPP
#define REPEBBLE_EXECUTE_MAKE_PLANNED_RECORD_HPP

// The record of an execution over a link in which all takes as long as the judge says: to look at a plan before it
// runs.

#include <repebble/execute/executor.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/pebbling/host_link.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble::inline v0 {

/// A record with the spans of `find_lane_times`, the bytes of `replay` and the makespan as `nanoseconds`; addresses are
/// not known. Times are those of the dataflow, to be nanoseconds.  Cost and errors are those of `replay`.
[[nodiscard]] auto make_planned_record(dataflow const& flow, schedule<> const& plan, host_link const& via)
    -> execution_record;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/execute/make_planned_record.ipp>
#endif

#endif
