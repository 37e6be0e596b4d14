#ifndef REPEBBLE_RECOMPUTE_RECOMPUTE_PLAN_HPP
#define REPEBBLE_RECOMPUTE_RECOMPUTE_PLAN_HPP

// The result of every strategy: a schedule of the training graph with its replayed cost. Invariant: the schedule is
// legal (the replay accepted it), and `cost` is that of its replay.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include <repebble/graph/concepts.hpp>
#include <repebble/graph/training/training_vertex.hpp>
#include <repebble/lower_sets/formula.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/recompute/planning_graph.hpp>

namespace repebble::inline v0 {

/// Result of a strategy: a legal schedule of the training graph, and the cost by its replay.
template <quantity Time = std::int64_t, class Vertex = operation_index>
struct recompute_plan {
    repebble::schedule<Vertex> schedule;
    replay_result<Time> cost;
    std::optional<formula_result<Time>> formula{};  ///< formulas (1) and (2), where they apply
    std::size_t segments = 0;                       ///< number of segments; 0 where there are none
    std::size_t lower_sets = 0;                     ///< number of lower sets searched
    /// Proven distance of the overhead from the best, as a share of the forward time. By the formulas: from the best of
    /// the family that was searched; by `lower_set_exact`: from the best of all lower sets. Judged by replay where
    /// `best_canonical` applies: the replayed overhead among canonical schedules; elsewhere: by the formulas, at the
    /// formula budget that was chosen.
    double epsilon = 0;

    friend auto operator==(recompute_plan const&, recompute_plan const&) -> bool = default;
};

/// A plan in terms of the caller's forward vertices.
template <computation_graph Graph, quantity Time = std::int64_t>
using forward_plan = recompute_plan<Time, training_vertex<vertex_t<Graph>>>;

namespace detail {

/// Makes the plan of a schedule of `graph.flow()`. Throws illegal_schedule, which is a fault of the strategy.
template <quantity Time>
[[nodiscard]] auto plan_of(planning_graph<Time> const& graph, schedule<> const& contracted) -> recompute_plan<Time> {
    recompute_plan<Time> plan;
    plan.schedule = graph.expand(contracted);
    plan.cost = replay(graph.training().flow, plan.schedule);
    return plan;
}

}  // namespace detail

}  // namespace repebble::inline v0

#endif
