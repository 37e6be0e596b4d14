#ifndef REPEBBLE_GRAPH_TRAINING_TRAINING_VERTICES_HPP
#define REPEBBLE_GRAPH_TRAINING_TRAINING_VERTICES_HPP

// From operations of a training graph to the caller's vertices: plans and schedules of a forward graph are translated
// with it, by `map_vertices`.

#include <vector>

#include <repebble/graph/access.hpp>
#include <repebble/graph/concepts.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/graph/training/training_vertex.hpp>

namespace repebble::inline v0 {

/// Function object from the operations of the training graph of a forward graph to vertices of that forward graph, with
/// their pass and part. Refers to the training graph; keeps the vertices.
template <computation_graph Graph>
class training_vertices {
  public:
    /// O(n).
    training_vertices(Graph const& g, training_graph const& training)
        : training_(&training), by_index_(detail::vertices_by_index(g)) {}

    [[nodiscard]] auto operator()(operation_index v) const -> training_vertex<vertex_t<Graph>> {
        auto const& origin = training_->origin[v];
        return {by_index_[origin.vertex], origin.pass, origin.part};
    }

  private:
    training_graph const* training_;
    std::vector<vertex_t<Graph>> by_index_;
};

}  // namespace repebble::inline v0

#endif
