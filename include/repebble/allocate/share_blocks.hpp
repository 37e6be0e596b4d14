#ifndef REPEBBLE_ALLOCATE_SHARE_BLOCKS_HPP
#define REPEBBLE_ALLOCATE_SHARE_BLOCKS_HPP

// Whole blocks shared by buffers, one after the other or in parallel: by a linear scan over time
// (detail/share_where.hpp), or by colouring the conflict graph (detail/colour_buffers.hpp); for steps that run in
// parallel in the same two ways, with the reuses that the order of steps allows (detail/parallel).

#include <span>

#include <repebble/allocate/buffer.hpp>
#include <repebble/allocate/shared_blocks.hpp>

namespace repebble::inline v0 {

/// Assigns buffers to whole blocks (Chen et al. 2016, section 3; MXNet's note "Squeeze the memory consumption of deep
/// learning"). A buffer with gaps keeps its block throughout; one without bytes or time has none.
///
/// * `scan`: a buffer that begins takes a free block of similar size, the smallest that is large enough, else the
///   largest, which then grows; without such a block a new one is made. A buffer that ends returns its block. A
///   heuristic; optimal if all blocks have one size.  O(n log n).
/// * `colour_by_…`: greedy colouring of the graph of buffers that are live at once: each gets the first block without a
///   buffer that it conflicts with. In the order of begin this needs, for lifetimes, the least number of blocks: an
///   interval graph has a perfect elimination order. In the order of size a block is as large as its first buffer, and
///   the total is a heuristic.  O(n²) time and edges if all are live at once: for some thousands of buffers.
/// * With `steps` the plan is safe in every order that the step graph allows, and adds no edge. Recomputed instances
///   have few ancestors, so that a schedule with many of them needs much memory this way: there, share freely and add
///   the edges of `find_sharing_dependencies`. With m edges O(m n / 64 + n · blocks · touches) time, n²/8 bytes for n
///   steps other than discards: 12 MB for 10,000 of them, 1.2 GB for 100,000.
/// * With `paths`, too, two buffers share if a path shows that one is done before the other begins: a step that touches
///   a buffer is done before a step on a path if it lies on that path further up, or if an edge leads from it to such a
///   step. Shares less.  O(paths · (n + m) + n · blocks · edges of a buffer's steps) time and O(n + m) memory.
///
/// Requires: match_range >= 1.  Throws bad_buffer if a buffer is invalid or pinned, or, with steps, not touched or
/// touched outside its lifetime; bad_weight if the total does not fit in 64 bits; bad_option if two options exclude
/// each other.
[[nodiscard]] auto share_blocks(std::span<buffer const> buffers, sharing_options const& options = {}) -> shared_blocks;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/allocate/share_blocks.ipp>
#endif

#endif
