#ifndef REPEBBLE_TRACES_SHORTENED_SCHEDULE_HPP
#define REPEBBLE_TRACES_SHORTENED_SCHEDULE_HPP

// One schedule for all iterations of stochastic depth: that of the full trace, by whatever planner, without the steps of
// what does not occur. stochastic_depth.hpp does the same with plans of the simulator.
// Invariant: no step needs more memory than in the full schedule.

#include <repebble/pebbling/schedule.hpp>
#include <repebble/traces/stochastic_depth.hpp>
#include <repebble/traces/swap_problem.hpp>
#include <repebble/traces/traced_dataflow.hpp>

namespace repebble::inline v0 {

/// A schedule of the full trace for an iteration without some computations (`without_computations`): `full` and
/// `shorter_flow` are the dataflows of the two traces. Steps of what does not occur are left out, the others stay in
/// their order, so that a schedule within a limit remains within it.  O(steps + rows).  Requires: what a dropped
/// computation writes, no other has written.
[[nodiscard]] auto make_shortened_schedule(swap_problem const& problem, traced_dataflow const& full,
                                           schedule<> const& plan, shortened_iteration const& shorter,
                                           traced_dataflow const& shorter_flow) -> schedule<>;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/traces/shortened_schedule.ipp>
#endif

#endif
