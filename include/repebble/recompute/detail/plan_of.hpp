#ifndef REPEBBLE_RECOMPUTE_DETAIL_PLAN_OF_HPP
#define REPEBBLE_RECOMPUTE_DETAIL_PLAN_OF_HPP

// From a schedule of the contracted graph to a plan of the training graph: the last step of every strategy. The replay
// checks the schedule and gives its cost. Strategies do not look at control edges and mutations: a schedule that breaks
// a rule is tried like others, and needs more than any budget.

#include <cstdint>
#include <limits>
#include <utility>

#include <repebble/detail/never_stop.hpp>
#include <repebble/detail/raise.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/pebbling/verify_schedule.hpp>
#include <repebble/recompute/planning_graph.hpp>
#include <repebble/recompute/recompute_plan.hpp>

namespace repebble::inline v0::detail {

/// The peak of a schedule that breaks a rule.
inline constexpr bytes peak_of_illegal = std::numeric_limits<bytes>::max();

/// The cost of a schedule that is tried: of one that breaks a rule, or is not judged before stop() returns true, more
/// bytes and time than of any other.
template <class Stop = never_stop>
[[nodiscard]] auto cost_of_trial(dataflow const& flow, schedule<> const& tried, Stop const& stop = {})
    -> replay_result {
    auto verdict = verify_schedule_fn::until(stop, flow, tried);
    if (verdict && *verdict) return std::move(verdict->result);
    replay_result illegal;
    illegal.time = std::numeric_limits<std::int64_t>::max();
    illegal.peak = peak_of_illegal;
    return illegal;
}

/// The plan of a schedule of `graph.flow()` that is tried; its cost as that of `cost_of_trial`.
template <class Stop = never_stop>
[[nodiscard]] auto trial_of(planning_graph const& graph, schedule<> contracted, Stop const& stop = {})
    -> recompute_plan<> {
    recompute_plan<> plan;
    plan.schedule = graph.expand(std::move(contracted));
    plan.cost = cost_of_trial(graph.training().flow, plan.schedule, stop);
    return plan;
}

/// The best of the plans that were tried.  Throws bad_graph, which names the vertex at fault, where it breaks a rule.
[[nodiscard]] inline auto checked_plan(dataflow const& flow, recompute_plan<> tried) -> recompute_plan<> {
    if (tried.cost.peak == peak_of_illegal)
        detail::raise(bad_graph("the strategy tries no legal order of this graph: " +
                                verify_schedule(flow, tried.schedule).message()));
    return tried;
}

/// Makes the plan of a schedule of `graph.flow()`.  Throws as `checked_plan`.
[[nodiscard]] inline auto plan_of(planning_graph const& graph, schedule<> contracted) -> recompute_plan<> {
    return checked_plan(graph.training().flow, trial_of(graph, std::move(contracted)));
}

}  // namespace repebble::inline v0::detail

#endif
