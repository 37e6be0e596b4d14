#ifndef REPEBBLE_GRAPH_CONCEPTS_HPP
#define REPEBBLE_GRAPH_CONCEPTS_HPP

// The concepts of graphs: syntax only, built from one-line concepts so that a compiler names the requirement that is
// missing. Every algorithm asks for the weakest of them that it needs.

#include <concepts>
#include <cstddef>
#include <ranges>
#include <type_traits>

#include <repebble/graph/graph_traits.hpp>
#include <repebble/graph/detail/member_names.hpp>

namespace repebble::inline v0 {

/// A single-pass range whose elements are vertices of `Graph`.
template <class Range, class Graph>
concept vertex_range =
    std::ranges::input_range<Range> && std::convertible_to<std::ranges::range_reference_t<Range>, vertex_t<Graph>>;

// The requirements on a graph type one by one, so that a compiler can name the missing one.

/// `graph_traits` are specialised for the type.
template <class Graph>
concept has_graph_traits = requires { sizeof(graph_traits<std::remove_cvref_t<Graph>>); };

/// `vertices(g)` is a range of copyable vertices.
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

/// The weakest requirement of all algorithms. Syntax only; each algorithm documents whether the graph must be acyclic.
/// An optional member of the traits that is misspelt, or takes other arguments, makes it false.
/// "Multi-pass" means asking for `successors(g, v)` again; no range or iterator is ever stored.
template <class Graph>
concept computation_graph = has_graph_traits<Graph> && has_vertices<Graph> && has_successors<Graph> &&
                            has_vertex_index<Graph> && detail::knows_all_members<std::remove_cvref_t<Graph>>;

/// A computation graph that also has the predecessors of each vertex.
template <class Graph>
concept bidirectional_graph = computation_graph<Graph> && has_predecessors<Graph>;

/// A graph with undirected edges, which is not a computation graph. Each edge may be seen from both ends or from one.
template <class Graph>
concept undirected_adjacency = has_graph_traits<Graph> && has_vertices<Graph> && has_neighbors<Graph> &&
                               has_vertex_index<Graph> && !computation_graph<Graph>;

}  // namespace repebble::inline v0

#endif
