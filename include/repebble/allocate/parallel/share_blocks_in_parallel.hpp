#ifndef REPEBBLE_ALLOCATE_PARALLEL_SHARE_BLOCKS_IN_PARALLEL_HPP
#define REPEBBLE_ALLOCATE_PARALLEL_SHARE_BLOCKS_IN_PARALLEL_HPP

// Block sharing that keeps all parallelism of the step graph: `share_blocks` restricted by the ancestor relation, as in
// MXNet's note "Squeeze the memory consumption of deep learning", section "Try to allow more parallelization".
// `path_sharing` approximates the relation in linear memory; `sharing_dependencies` adds edges instead.

#include <span>

#include <repebble/allocate/buffer.hpp>
#include <repebble/allocate/parallel/step_graph.hpp>
#include <repebble/allocate/share_blocks.hpp>
#include <repebble/graph/csr_graph.hpp>

namespace repebble::inline v0 {

/// `share_blocks` for steps that run in parallel: a buffer may reuse another's block only if every step that touches
/// the other is an ancestor of the first step that touches it, and the other's lifetime has ended in the schedule. The
/// plan is safe in every order that the step graph allows, and adds no edge. Recomputed instances have few ancestors,
/// so that a schedule with many of them needs much memory this way: there, share freely and add the edges of
/// `sharing_dependencies`.
/// O(m n / 64 + n · blocks · touches) time, n²/8 bytes for n steps other than discards: 12 MB for 10,000 of them, 1.2
/// GB for 100,000; `share_blocks_on_paths` needs linear memory.
/// Requires: the step graph of the schedule whose lifetimes the buffers are.  Throws as `share_blocks`, and bad_buffer
/// if a buffer is not touched or touched outside its lifetime.
[[nodiscard]] auto share_blocks_in_parallel(step_graph const& steps, std::span<buffer const> buffers,
                                            sharing_options const& options = {}) -> shared_blocks;

/// The interference graph under parallel execution: edges in both directions between two buffers of which neither may
/// reuse the other's memory. `colour_buffers` makes a plan from it that is as safe as `share_blocks_in_parallel`.  O(n²
/// · touches): for some thousands of buffers.  Requires and throws as that.
[[nodiscard]] auto parallel_conflict_graph(step_graph const& steps, std::span<buffer const> buffers) -> csr_graph;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/allocate/parallel/share_blocks_in_parallel.ipp>
#endif

#endif
