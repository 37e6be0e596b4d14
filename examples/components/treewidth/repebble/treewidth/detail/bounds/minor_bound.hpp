#ifndef REPEBBLE_TREEWIDTH_DETAIL_BOUNDS_MINOR_BOUND_HPP
#define REPEBBLE_TREEWIDTH_DETAIL_BOUNDS_MINOR_BOUND_HPP

// Lower bounds on treewidth from minors that are decided exactly: no minor has a larger treewidth than its graph.
// Minors come from the contractions of `find_contraction_bound` or from regions of a tree decomposition;
// `treewidth_at_most` decides them. `find_treewidth` calls both forms. Invariant: the bound only rises, and each rise
// is proven.

#include <cstddef>
#include <cstdint>
#include <span>

#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/treewidth/detail/exact/width_decision.hpp>

namespace repebble::inline v0::detail {

/// A lower bound on treewidth, from a known bound `low`.
///
/// `minor_bound(g, low)` decides minors from the contractions of `find_contraction_bound`. `minor_bound(g, order, low)`
/// decides regions around the widest bags of the order's tree decomposition, with the rest of the graph contracted into
/// them: larger and larger regions as long as they can be decided. The cause of a large width is often local: ten of a
/// network's sixty-four steps are as wide as all of them. The bound ends at the order's width.
///
/// The states limit each decision, the seconds all of them together.  Throws bad_graph unless the order names every
/// vertex once.
[[nodiscard]] auto minor_bound(undirected_graph const& g, std::size_t low, width_limits limits = {}) -> std::size_t;
/// The same.
[[nodiscard]] auto minor_bound(undirected_graph const& g, std::span<undirected_graph::vertex const> order,
                               std::size_t low, width_limits limits = {}, std::uint64_t seed = 1) -> std::size_t;

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/treewidth/minor_bound.ipp>
#endif

#endif
