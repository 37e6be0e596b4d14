#ifndef REPEBBLE_GRAPH_GRAPH_TRAITS_HPP
#define REPEBBLE_GRAPH_GRAPH_TRAITS_HPP

// The one customisation point of the library, specialised per graph type (as std::iterator_traits or Boost's
// graph_traits), and the names of vertices and outputs derived from it. Every header that takes a graph includes it.

#include <cstdint>
#include <ranges>
#include <type_traits>
#include <utility>

namespace repebble::inline v0 {

/// Specialise it for your graph type, and every algorithm runs on it, unchanged.
///
/// A vertex is an operation; an edge u -> v says that v reads a value of u, or only that u runs before v (a control
/// edge). All members are static.
/// Required:
///   vertices(g)            input range of vertices
///   successors(g, v)       input range of the vertices that read v, or only run after it
///   vertex_index(g, v)     dense index, 0 … n-1
/// Optional, each adds to the description of the graph:
///   predecessors(g, v)     input range; derived once by `bidirectional(g)` where it is absent
///   vertex_count(g)        n; counted where it is absent
///   output_count(g, v)     number of output values of v; 1 where it is absent
///   outputs_read(g, u, v)  input range of the outputs of u that the edge u -> v reads; all where it is absent. An
///                          empty range makes it a control edge: u has run before each run of v
///   operands(g, v)         input range of output_ref: what v reads in the order of its arguments, with repetitions. It
///                          takes the place of outputs_read; an edge u -> v is a control edge where no operand of v
///                          is a value of u
///   is_view(g, v)          true where the outputs of v are views: they refer to the storages that v reads
///   views(g, v, j)         input range of output_ref: the values to whose storages output j of v refers, views among
///                          them; empty where it owns its storage. It takes the place of is_view
///   value_of(g, v, j)      output_ref {u, i}: output j of v is the same value as output i of u, so that the value
///                          has several producers, any one of which suffices; {v, j} where it is absent. v may read
///                          what is made of the value
///   is_result(g, v, j)     true where output j of v stays resident to the end
///   is_input(g, v)         true where the outputs of v are present before all else runs, and are never computed; they
///                          stay to the end, unless they are donated or mutated. Of their weights only the bytes count
///   is_donated(g, v)       true where the outputs of the input v are let go after their last use
///   mutates(g, v, j)       input range of output_ref, at most one: the value that v reads and in whose storage it
///                          always writes its output j; all else that reads the value runs before
///   may_overwrite(g, v, j, r)  true where v may write its output j over the value of output_ref r, which it reads, if
///                          that is the value's last use
/// In place of successors, for undirected graphs, which only `undirected_graph::of` takes:
///   neighbors(g, v)        input range of the vertices at the other ends of the edges of v
/// Only in specialisations for types that are not graphs: a type `unmet_requirement`, whose name says why.
template <class Graph>
struct graph_traits;

/// Names output `output` of vertex `vertex`.
template <class Vertex>
struct output_ref {
    Vertex vertex{};           ///< who computes it
    std::uint32_t output = 0;  ///< from 0
    friend constexpr auto operator==(output_ref const&, output_ref const&) -> bool = default;
};

/// The vertex type of a graph: small, regular, stored by value.
template <class Graph>
using vertex_t = std::ranges::range_value_t<decltype(graph_traits<std::remove_cvref_t<Graph>>::vertices(
    std::declval<std::remove_cvref_t<Graph> const&>()))>;

}  // namespace repebble::inline v0

#endif
