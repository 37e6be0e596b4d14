#ifndef REPEBBLE_RECOMPUTE_RECOMPUTE_PLAN_HPP
#define REPEBBLE_RECOMPUTE_RECOMPUTE_PLAN_HPP

// The result of every strategy: a schedule of the training graph with its replayed cost. Invariant: the schedule is
// legal (the replay accepted it), and `cost` is that of its replay. Strategies with more to report derive from it:
// segmented_plan, lower_set_plan.

#include <cstdint>
#include <type_traits>
#include <utility>

#include <repebble/graph/concepts.hpp>
#include <repebble/graph/training/training_vertex.hpp>
#include <repebble/pebbling/replay_result.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble::inline v0 {

/// Result of a strategy: a legal schedule of the training graph, and the cost by its replay.
template <class Vertex = operation_index>
struct recompute_plan {
    repebble::schedule<Vertex> schedule;  ///< computations and discards
    replay_result cost;                   ///< of the schedule, by replay

    friend auto operator==(recompute_plan const&, recompute_plan const&) -> bool = default;
};

/// A plan in terms of the caller's forward vertices.
template <computation_graph Graph>
using forward_plan = recompute_plan<training_vertex<vertex_t<Graph>>>;

/// The same plan in terms of other vertices: f(vertex) for every vertex. O(steps).
template <class Vertex, class F>
[[nodiscard]] auto map_vertices(recompute_plan<Vertex> const& from, F&& f) {
    using target = std::remove_cvref_t<decltype(f(std::declval<Vertex const&>()))>;
    return recompute_plan<target>{map_vertices(from.schedule, f), from.cost};
}

}  // namespace repebble::inline v0

#endif
