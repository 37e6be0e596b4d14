#ifndef REPEBBLE_ALLOCATE_PARALLEL_SHARE_BLOCKS_ON_PATHS_HPP
#define REPEBBLE_ALLOCATE_PARALLEL_SHARE_BLOCKS_ON_PATHS_HPP

// Block sharing for parallel steps in linear memory: longest paths of the step graph are coloured, as in MXNet's note
// "Squeeze the memory consumption of deep learning", and stand for the ancestor relation of `share_blocks_in_parallel`.
// There one colour for two nodes is enough to share, which is safe only if no node on another path reads the first
// one's value; here every step that touches the buffer must be ordered.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <repebble/allocate/buffer.hpp>
#include <repebble/allocate/parallel/step_graph.hpp>
#include <repebble/allocate/share_blocks.hpp>
#include <repebble/graph/csr_graph.hpp>

namespace repebble::inline v0 {

/// The path of a vertex on none of the paths found.
inline constexpr std::uint32_t no_path = std::numeric_limits<std::uint32_t>::max();

/// Options of `share_blocks_on_paths`.
struct path_sharing_options {
    std::size_t paths = 8;      ///< number of longest paths that get a colour
    sharing_options sharing{};  ///< how blocks are shared along a path
    friend constexpr auto operator==(path_sharing_options const&, path_sharing_options const&) -> bool = default;
};

/// Numbers the vertices by path: the longest path of the graph is 0, the longest among the remaining vertices is 1, and
/// so on for as many paths as asked for; no_path for the rest. Ties by index.
/// O((n + m) log n + paths · (n + m)).  Throws not_a_dag.
[[nodiscard]] auto longest_paths(csr_graph const& dag, std::size_t paths) -> std::vector<std::uint32_t>;

/// `share_blocks` for steps that run in parallel, without the ancestor relation: two buffers share if a coloured path
/// shows that one is done before the other begins. A step that touches a buffer is done before a step on a path if it
/// lies on that path further up, or if an edge leads from it to such a step. Shares less than
/// `share_blocks_in_parallel`.
/// O(paths · (n + m) + n · blocks · edges of a buffer's steps) time and O(n + m) memory.  Requires and throws as
/// `share_blocks_in_parallel`.
[[nodiscard]] auto share_blocks_on_paths(step_graph const& steps, std::span<buffer const> buffers,
                                         path_sharing_options const& options = {}) -> shared_blocks;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/allocate/parallel/share_blocks_on_paths.ipp>
#endif

#endif
