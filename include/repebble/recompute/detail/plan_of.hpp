#ifndef REPEBBLE_RECOMPUTE_DETAIL_PLAN_OF_HPP
#define REPEBBLE_RECOMPUTE_DETAIL_PLAN_OF_HPP

// From a schedule of the contracted graph to a plan of the training graph: the last step of every strategy. The replay
// checks the schedule and gives its cost.

#include <repebble/graph/quantity.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/recompute/planning_graph.hpp>
#include <repebble/recompute/recompute_plan.hpp>

namespace repebble::inline v0::detail {

/// Makes the plan of a schedule of `graph.flow()`. Throws illegal_schedule, which is a fault of the strategy.
[[nodiscard]] inline auto plan_of(planning_graph const& graph, schedule<> const& contracted) -> recompute_plan<> {
    recompute_plan<> plan;
    plan.schedule = graph.expand(contracted);
    plan.cost = replay(graph.training().flow, plan.schedule);
    return plan;
}

}  // namespace repebble::inline v0::detail

#endif
