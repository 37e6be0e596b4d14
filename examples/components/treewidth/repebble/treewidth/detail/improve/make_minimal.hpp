#ifndef REPEBBLE_TREEWIDTH_DETAIL_IMPROVE_MAKE_MINIMAL_HPP
#define REPEBBLE_TREEWIDTH_DETAIL_IMPROVE_MAKE_MINIMAL_HPP

// Makes the fill of an elimination order inclusion-minimal (the question of Blair, Heggernes, Telle 2001), by
// `minimal_triangulation`: a fill edge is removable exactly if only one bag contains both its ends (Rose, Tarjan,
// Lueker 1976). A post-processing step for any order.

#include <span>

#include <repebble/decomposition/undirected_graph.hpp>

namespace repebble::inline v0::detail {

/// An elimination order whose fill is a minimal subset of the given order's fill: no fill edge can be left out. Never
/// wider; often of less width.
///
/// Bags with a removable edge are split by minimum fill, until none is left. To examine a bag of s vertices takes O(s²
/// / 64 · adjacent bags) time, and to split it that of `find_elimination_order` on the vertices that lack a neighbour
/// in it. A good order needs about as many examinations as bags and few splits, and takes less time than
/// `find_elimination_order`; a bad one can take far longer: at most bags + 2 · fill examinations. O(sum of the bags'
/// sizes + m + s²) memory. Throws bad_graph, naming the vertex, unless the order names every vertex once.
[[nodiscard]] auto make_minimal(undirected_graph const& g, std::span<undirected_graph::vertex const> order)
    -> elimination_order;

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/treewidth/make_minimal.ipp>
#endif

#endif
