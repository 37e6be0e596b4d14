#ifndef REPEBBLE_ALLOCATE_CONFLICT_GRAPH_HPP
#define REPEBBLE_ALLOCATE_CONFLICT_GRAPH_HPP

// The interference graph of buffers and its greedy colouring (Chen et al. 2016, section 3): an alternative to
// `share_blocks` that assigns buffers to whole blocks. `parallel_conflict_graph` makes a graph for parallel steps that
// `colour_buffers` takes as well.

#include <cstdint>
#include <span>

#include <repebble/allocate/buffer.hpp>
#include <repebble/allocate/share_blocks.hpp>
#include <repebble/graph/csr_graph.hpp>

namespace repebble::inline v0 {

/// The order in which buffers are coloured.
enum class colouring_order : std::uint8_t {
    size,   ///< largest first: no block grows
    begin,  ///< by begin: the least number of blocks
};

/// The interference graph of buffers: edges in both directions between two that are live at once. A buffer counts as
/// live through its gaps; one without bytes or time conflicts with none.
/// O(n²) time and edges if all are live at once: for some thousands of buffers.  Throws bad_buffer if a buffer is
/// invalid.
[[nodiscard]] auto conflict_graph(std::span<buffer const> buffers) -> csr_graph;

/// Greedy colouring of a conflict graph, by default of `conflict_graph`: each buffer gets the first block without a
/// buffer that it conflicts with. In the order of begin this needs, for lifetimes, the least number of blocks: an
/// interval graph has a perfect elimination order. In the order of size a block is as large as its first buffer, and
/// the total is a heuristic.
/// O(n log n + edges), and the graph.  Requires: a vertex for each buffer, edges in both directions.  Throws as
/// `share_blocks`.
[[nodiscard]] auto colour_buffers(std::span<buffer const> buffers, csr_graph const& conflicts,
                                  colouring_order order = colouring_order::size) -> shared_blocks;
/// The same.
[[nodiscard]] inline auto colour_buffers(std::span<buffer const> buffers, colouring_order order = colouring_order::size)
    -> shared_blocks {
    return colour_buffers(buffers, conflict_graph(buffers), order);
}

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/allocate/conflict_graph.ipp>
#endif

#endif
