#ifndef REPEBBLE_ALLOCATE_DETAIL_PARALLEL_SHARE_IN_PARALLEL_HPP
#define REPEBBLE_ALLOCATE_DETAIL_PARALLEL_SHARE_IN_PARALLEL_HPP

// Block sharing that keeps all parallelism of the step graph: the scan of share_where.hpp restricted by the ancestor
// relation, and the conflict graph under it, as in MXNet's note "Squeeze the memory consumption of deep learning",
// section "Try to allow more parallelization". share_on_paths.hpp approximates the relation in linear memory.

#include <span>

#include <repebble/allocate/buffer.hpp>
#include <repebble/allocate/step_graph.hpp>
#include <repebble/allocate/shared_blocks.hpp>
#include <repebble/graph/csr_graph.hpp>

namespace repebble::inline v0::detail {

/// A scan in which a buffer may reuse another's block only if every step that touches the other is an ancestor of the
/// first step that touches it.
[[nodiscard]] auto share_in_parallel(step_graph const& steps, std::span<buffer const> buffers,
                                     sharing_options const& options) -> shared_blocks;

/// The interference graph under parallel execution: edges in both directions between two buffers of which neither may
/// reuse the other's memory.  O(n² · touches).
[[nodiscard]] auto parallel_conflict_graph(step_graph const& steps, std::span<buffer const> buffers) -> csr_graph;

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/allocate/parallel/share_in_parallel.ipp>
#endif

#endif
