#ifndef REPEBBLE_GRAPH_TRAINING_MAKE_PROBLEM_HPP
#define REPEBBLE_GRAPH_TRAINING_MAKE_PROBLEM_HPP

// Problems of a caller's graph: as it is, or with the gradients of its vertices.

#include <vector>

#include <repebble/graph/access.hpp>
#include <repebble/graph/concepts.hpp>
#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/graph/training/problem.hpp>
#include <repebble/graph/training/training_vertex.hpp>
#include <repebble/graph/training/training_vertices.hpp>
#include <repebble/graph/unmet_requirement.hpp>
#include <repebble/graph/unmet_weight.hpp>
#include <repebble/graph/weights.hpp>

namespace repebble::inline v0 {

namespace detail {

/// Weights of 1 for every vertex.
using unit_weights = weights<unit_weight, unit_weight>;

struct make_problem_fn : takes_graph, takes_weights {
    using takes_graph::operator();
    using takes_weights::operator();

    template <computation_graph Graph, class... W>
        requires weights_for<weights<W...>, Graph>
    [[nodiscard]] auto operator()(Graph const& g, weights<W...> const& w) const -> named_problem<vertex_t<Graph>> {
        return {make_dataflow(g, w), detail::vertices_by_index(g)};
    }
    template <computation_graph Graph>
    [[nodiscard]] auto operator()(Graph const& g) const -> named_problem<vertex_t<Graph>> {
        return (*this)(g, unit_weights{});
    }
};

struct make_training_problem_fn : takes_graph, takes_weights {
    using takes_graph::operator();
    using takes_weights::operator();

    template <computation_graph Graph, class... W, class I = always, class O = always, class P = always>
        requires weights_for<weights<W...>, Graph>
    [[nodiscard]] auto operator()(Graph const& g, weights<W...> const& w,
                                  gradient_dependencies<I, O, P> const& depends = {}) const
        -> named_problem<training_vertex<vertex_t<Graph>>> {
        auto training = make_training_graph(g, w, depends);
        training_vertices const of_caller(g, training);
        std::vector<training_vertex<vertex_t<Graph>>> names;
        names.reserve(training.flow.operation_count());
        for (operation_index v = 0; v < training.flow.operation_count(); ++v) names.push_back(of_caller(v));
        return {std::move(training), std::move(names)};
    }
    template <computation_graph Graph>
    [[nodiscard]] auto operator()(Graph const& g) const -> named_problem<training_vertex<vertex_t<Graph>>> {
        return (*this)(g, unit_weights{});
    }
};

}  // namespace detail

/// The problem of a graph as it is: inference, the joint graph of a framework, or any other. Its operations have the
/// names of the graph's vertices. Without weights every vertex takes one time unit and one byte. Nothing of the graph
/// is kept but its vertices. O((n + m) log n).  Throws as `make_dataflow`.
inline constexpr detail::make_problem_fn make_problem{};

/// The problem of a training step of a forward graph: its operations, and their gradients (`make_training_graph`,
/// value_grad). `depends` says which values the gradients read. The operations are named by `training_vertex`.
/// Otherwise as `make_problem`.
inline constexpr detail::make_training_problem_fn make_training_problem{};

}  // namespace repebble::inline v0

#endif
