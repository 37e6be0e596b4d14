#ifndef REPEBBLE_TREEWIDTH_DETAIL_EXACT_TREEWIDTH_AT_MOST_HPP
#define REPEBBLE_TREEWIDTH_DETAIL_EXACT_TREEWIDTH_AT_MOST_HPP

// The exact decision procedure: positive-instance driven dynamic programming (Tamaki, "Positive-instance driven dynamic
// programming for treewidth", 2017), dispatched to bit sets of 64 to 1024 vertices. `find_treewidth` and `minor_bound`
// call it on reduced graphs.

#include <cstddef>

#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/treewidth/detail/exact/width_decision.hpp>

namespace repebble::inline v0::detail {

/// Decides whether the treewidth of a graph is at most k; both answers are proven, and a positive one comes with an
/// order. A fixed root takes the place of the paper's inbound sets.
///
/// No answer if a limit is reached, or if the graph has more than 1024 vertices; `find_treewidth` splits larger ones
/// first. Exponential time and memory in the worst case.
[[nodiscard]] auto treewidth_at_most(undirected_graph const& g, std::size_t k, width_limits limits = {})
    -> width_decision;

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/treewidth/treewidth_at_most.ipp>
#endif

#endif
