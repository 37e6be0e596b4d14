#ifndef REPEBBLE_RECOMPUTE_RECOMPUTE_PLAN_HPP
#define REPEBBLE_RECOMPUTE_RECOMPUTE_PLAN_HPP

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

/// What a strategy returns: a schedule of the training graph, and what the replay says of it. Only a schedule that the
/// replay accepts gets here.
template <quantity Time = std::int64_t, class Vertex = operation_index>
struct recompute_plan {
    repebble::schedule<Vertex> schedule;
    replay_result<Time> cost;
    std::optional<formula_result<Time>> formula{};  ///< where the plan follows a sequence of lower sets and they apply
    std::size_t segments = 0;                       ///< of that sequence; 0 where there is none
    std::size_t lower_sets = 0;                     ///< size of the family that was searched; 0 where there was none
    /// The overhead is proven to be within this share of the forward time of the best: by the formulas, of the best in
    /// the family that was searched; of `lower_set_exact`, of the best of all lower sets, though only some were
    /// searched, and judged by replay where `best_canonical` applies it is the replayed overhead, among canonical
    /// schedules. Judged by replay elsewhere it speaks of the formula still, at the budget that was chosen there.
    double epsilon = 0;

    friend auto operator==(recompute_plan const&, recompute_plan const&) -> bool = default;
};

/// A plan in terms of the caller's own forward vertices.
template <computation_graph Graph, quantity Time = std::int64_t>
using forward_plan = recompute_plan<Time, training_vertex<vertex_t<Graph>>>;

namespace detail {

/// The plan for a schedule of `graph.flow()`.  Throws illegal_schedule: a strategy that makes one is wrong.
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
