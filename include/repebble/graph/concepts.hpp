#ifndef REPEBBLE_GRAPH_CONCEPTS_HPP
#define REPEBBLE_GRAPH_CONCEPTS_HPP

#include <concepts>
#include <cstddef>
#include <ranges>
#include <type_traits>

#include <repebble/graph/graph_traits.hpp>

namespace repebble {

/// A range that can be walked once and whose elements are vertices of `Graph`.
template <class Range, class Graph>
concept vertex_range =
    std::ranges::input_range<Range> && std::convertible_to<std::ranges::range_reference_t<Range>, vertex_t<Graph>>;

/// The least that every algorithm asks for. Syntax only; algorithms say in their documentation where the graph must
/// be acyclic. "Multi-pass" means asking for `successors(g, v)` again; no range or iterator is ever stored.
template <class Graph>
concept computation_graph = requires(std::remove_cvref_t<Graph> const& g, vertex_t<Graph> const& v) {
    requires std::copyable<vertex_t<Graph>>;
    { graph_traits<std::remove_cvref_t<Graph>>::vertices(g) } -> vertex_range<Graph>;
    { graph_traits<std::remove_cvref_t<Graph>>::successors(g, v) } -> vertex_range<Graph>;
    { graph_traits<std::remove_cvref_t<Graph>>::vertex_index(g, v) } -> std::convertible_to<std::size_t>;
};

/// A computation graph that also knows whom a vertex reads.
template <class Graph>
concept bidirectional_graph = computation_graph<Graph> && requires(std::remove_cvref_t<Graph> const& g,
                                                                   vertex_t<Graph> const& v) {
    { graph_traits<std::remove_cvref_t<Graph>>::predecessors(g, v) } -> vertex_range<Graph>;
};

}  // namespace repebble

#endif
