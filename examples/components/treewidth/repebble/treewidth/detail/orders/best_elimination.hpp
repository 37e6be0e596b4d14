#ifndef REPEBBLE_TREEWIDTH_DETAIL_ORDERS_BEST_ELIMINATION_HPP
#define REPEBBLE_TREEWIDTH_DETAIL_ORDERS_BEST_ELIMINATION_HPP

// The portfolio of elimination heuristics as its callers see it; `detail/orders/elimination_searcher.hpp` is how it
// works.

#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/treewidth/detail/orders/best_order.hpp>
#include <repebble/treewidth/detail/orders/elimination_search.hpp>

namespace repebble::inline v0::detail {

/// The best elimination order of several heuristics: greedy rules with different ties, the given order of the vertices,
/// breadth-first levels, nested dissection; then local improvement.
///
/// Takes an undirected graph, or any graph that has an undirected view. Memory of `threads` runs of
/// `find_elimination_order`, the bags of an order, and for each thread a bit matrix of a region's vertices.  Throws
/// bad_option if there is no thread, or the time limit is negative or not a number.
[[nodiscard]] auto best_elimination(undirected_graph const& g, elimination_search const& options = {}) -> best_order;
/// The same.
template <has_undirected_view Graph>
[[nodiscard]] auto best_elimination(Graph const& g, elimination_search const& options = {}) -> best_order {
    return best_elimination(undirected_graph::of(g), options);
}

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/treewidth/best_elimination.ipp>
#endif

#endif
