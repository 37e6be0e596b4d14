#ifndef REPEBBLE_ALLOCATE_DETAIL_PARALLEL_SHARE_ON_PATHS_HPP
#define REPEBBLE_ALLOCATE_DETAIL_PARALLEL_SHARE_ON_PATHS_HPP

// Block sharing for parallel steps in linear memory: longest paths of the step graph are coloured, as in MXNet's note
// "Squeeze the memory consumption of deep learning", and stand for the ancestor relation of share_in_parallel.hpp.
// There one colour for two nodes is enough to share, which is safe only if no node on another path reads the first
// one's value; here every step that touches the buffer must be ordered.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <repebble/allocate/buffer.hpp>
#include <repebble/allocate/step_graph.hpp>
#include <repebble/allocate/shared_blocks.hpp>
#include <repebble/graph/csr_graph.hpp>

namespace repebble::inline v0::detail {

/// The path of a vertex on none of the paths found.
inline constexpr std::uint32_t no_path = std::numeric_limits<std::uint32_t>::max();

/// Numbers the vertices by path: the longest path of the graph is 0, the longest among the remaining vertices is 1, and
/// so on for as many paths as asked for; no_path for the rest. Ties by index.
/// O((n + m) log n + paths · (n + m)).  Throws not_a_dag.
[[nodiscard]] auto longest_paths(csr_graph const& dag, std::size_t paths) -> std::vector<std::uint32_t>;

/// A scan in which two buffers share if a coloured path shows that one is done before the other begins.  Requires: a
/// number of paths.
[[nodiscard]] auto share_on_paths(step_graph const& steps, std::span<buffer const> buffers,
                                  sharing_options const& options) -> shared_blocks;

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/allocate/parallel/share_on_paths.ipp>
#endif

#endif
