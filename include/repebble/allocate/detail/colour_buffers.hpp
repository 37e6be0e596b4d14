#ifndef REPEBBLE_ALLOCATE_DETAIL_COLOUR_BUFFERS_HPP
#define REPEBBLE_ALLOCATE_DETAIL_COLOUR_BUFFERS_HPP

// The interference graph of buffers and its greedy colouring (Chen et al. 2016, section 3): the methods
// `colour_by_…` of `share_blocks`. `parallel_conflict_graph` makes a graph for parallel steps that `colour_buffers`
// takes as well.

#include <span>

#include <repebble/allocate/buffer.hpp>
#include <repebble/allocate/shared_blocks.hpp>
#include <repebble/graph/csr_graph.hpp>

namespace repebble::inline v0::detail {

/// The interference graph of buffers: edges in both directions between two that are live at once. A buffer counts as
/// live through its gaps; one without bytes or time conflicts with none.
/// O(n²) time and edges if all are live at once: for some thousands of buffers.  Throws bad_buffer if a buffer is
/// invalid.
[[nodiscard]] auto conflict_graph(std::span<buffer const> buffers) -> csr_graph;

/// Greedy colouring of a conflict graph: each buffer gets the first block without a
/// buffer that it conflicts with. In the order of begin this needs, for lifetimes, the least number of blocks: an
/// interval graph has a perfect elimination order. In the order of size a block is as large as its first buffer, and
/// the total is a heuristic.
/// O(n log n + edges), and the graph.  Requires: a vertex for each buffer, edges in both directions.  Throws as
/// `share_blocks`.
[[nodiscard]] auto colour_buffers(std::span<buffer const> buffers, csr_graph const& conflicts, block_method method)
    -> shared_blocks;

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/allocate/colour_buffers.ipp>
#endif

#endif
