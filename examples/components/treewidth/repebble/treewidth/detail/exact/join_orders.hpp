#ifndef REPEBBLE_TREEWIDTH_DETAIL_EXACT_JOIN_ORDERS_HPP
#define REPEBBLE_TREEWIDTH_DETAIL_EXACT_JOIN_ORDERS_HPP

// Combines elimination orders of the atoms of a graph into one of the graph: the chordal graphs of the atoms share
// cliques, so that their union is chordal, and maximum cardinality search (Tarjan, Yannakakis 1984) finds its perfect
// elimination order. The last step of `find_treewidth` after `split_safely`.

#include <cstddef>
#include <span>

#include <repebble/decomposition/elimination.hpp>
#include <repebble/treewidth/detail/graphs/connected_parts.hpp>

namespace repebble::inline v0::detail {

/// An elimination order of a graph from one order of each of its atoms by `split_safely`; its width is the largest of
/// theirs, and its fill is the union of theirs.
/// Requires: orders[k] names every vertex of atoms[k].graph once.  O(n + m + the fill of all orders).
[[nodiscard]] auto join_orders(std::size_t vertex_count, std::span<graph_atom const> atoms,
                               std::span<elimination_order const> orders) -> elimination_order;

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/treewidth/join_orders.ipp>
#endif

#endif
