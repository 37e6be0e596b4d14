#ifndef REPEBBLE_TREEWIDTH_DETAIL_GRAPHS_ELIMINATION_ORDER_OF_HPP
#define REPEBBLE_TREEWIDTH_DETAIL_GRAPHS_ELIMINATION_ORDER_OF_HPP

// The way back from a tree decomposition to an elimination order. `make_minimal` returns its result by it.

#include <repebble/decomposition/elimination.hpp>
#include <repebble/decomposition/tree_decomposition.hpp>
#include <repebble/decomposition/undirected_graph.hpp>

namespace repebble::inline v0::detail {

/// An elimination order that is at most as wide as a tree decomposition of the graph: from the leaves to the root, bag
/// 0, each vertex at its topmost bag.  O(n + m + sum of the bags' sizes).  Throws bad_decomposition if
/// `verify_decomposition` finds one.
[[nodiscard]] auto elimination_order_of(undirected_graph const& g, tree_decomposition const& made) -> elimination_order;

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/treewidth/elimination_order_of.ipp>
#endif

#endif
