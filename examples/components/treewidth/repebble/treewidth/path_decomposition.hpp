#ifndef REPEBBLE_TREEWIDTH_PATH_DECOMPOSITION_HPP
#define REPEBBLE_TREEWIDTH_PATH_DECOMPOSITION_HPP

// Path decompositions from linear orders: the vertex separation of an order is the width of its path decomposition
// (Kinnersley 1992). The counterpart of `make_tree_decomposition` for pathwidth.

#include <span>

#include <repebble/decomposition/tree_decomposition.hpp>
#include <repebble/decomposition/undirected_graph.hpp>

namespace repebble::inline v0 {

/// The path decomposition of an order of the vertices. The bag of a position is its vertex and all earlier vertices
/// with a neighbour at that position or later; bags within another bag are left out. The tree is a path, bag after bag.
/// Its width is the vertex separation of the order: the greatest number of vertices before a position that have a
/// neighbour at it or later. The least over all orders is the pathwidth.
///
/// O(m + sum of the bags' sizes and of sorting them).  Throws bad_graph, naming the vertex, unless the order names
/// every vertex once.
[[nodiscard]] auto make_path_decomposition(undirected_graph const& g, std::span<undirected_graph::vertex const> order)
    -> tree_decomposition;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/treewidth/path_decomposition.ipp>
#endif

#endif
