#ifndef REPEBBLE_GRAPH_CONCEPTS_HPP
#define REPEBBLE_GRAPH_CONCEPTS_HPP

#include <concepts>
#include <cstddef>
#include <ranges>
#include <type_traits>

#include <repebble/graph/graph_traits.hpp>

namespace repebble::inline v0 {

/// A range that can be walked once and whose elements are vertices of `Graph`.
template <class Range, class Graph>
concept vertex_range =
    std::ranges::input_range<Range> && std::convertible_to<std::ranges::range_reference_t<Range>, vertex_t<Graph>>;

// What a graph type must have, one by one, so that a compiler can name what is missing.

/// `graph_traits` are specialised for the type.
template <class Graph>
concept has_graph_traits = requires { sizeof(graph_traits<std::remove_cvref_t<Graph>>); };

/// `vertices(g)` is a range of vertices, which can be copied.
template <class Graph>
concept has_vertices = requires(std::remove_cvref_t<Graph> const& g) {
    { graph_traits<std::remove_cvref_t<Graph>>::vertices(g) } -> std::ranges::input_range;
    requires std::copyable<vertex_t<Graph>>;
};

/// `successors(g, v)` is a range of vertices.
template <class Graph>
concept has_successors = requires(std::remove_cvref_t<Graph> const& g, vertex_t<Graph> const& v) {
    { graph_traits<std::remove_cvref_t<Graph>>::successors(g, v) } -> vertex_range<Graph>;
};

/// `predecessors(g, v)` is a range of vertices.
template <class Graph>
concept has_predecessors = requires(std::remove_cvref_t<Graph> const& g, vertex_t<Graph> const& v) {
    { graph_traits<std::remove_cvref_t<Graph>>::predecessors(g, v) } -> vertex_range<Graph>;
};

/// `vertex_index(g, v)` is a number.
template <class Graph>
concept has_vertex_index = requires(std::remove_cvref_t<Graph> const& g, vertex_t<Graph> const& v) {
    { graph_traits<std::remove_cvref_t<Graph>>::vertex_index(g, v) } -> std::convertible_to<std::size_t>;
};

/// `neighbors(g, v)` is a range of vertices.
template <class Graph>
concept has_neighbors = requires(std::remove_cvref_t<Graph> const& g, vertex_t<Graph> const& v) {
    { graph_traits<std::remove_cvref_t<Graph>>::neighbors(g, v) } -> vertex_range<Graph>;
};

/// The least that every algorithm asks for. Syntax only; algorithms say in their documentation where the graph must
/// be acyclic. "Multi-pass" means asking for `successors(g, v)` again; no range or iterator is ever stored.
template <class Graph>
concept computation_graph =
    has_graph_traits<Graph> && has_vertices<Graph> && has_successors<Graph> && has_vertex_index<Graph>;

/// A computation graph that also knows whom a vertex reads.
template <class Graph>
concept bidirectional_graph = computation_graph<Graph> && has_predecessors<Graph>;

/// A graph whose edges have no direction, and so no computation graph. Each edge may be seen from both ends or from
/// one.
template <class Graph>
concept undirected_adjacency = has_graph_traits<Graph> && has_vertices<Graph> && has_neighbors<Graph> &&
                               has_vertex_index<Graph> && !computation_graph<Graph>;

}  // namespace repebble::inline v0

#endif
