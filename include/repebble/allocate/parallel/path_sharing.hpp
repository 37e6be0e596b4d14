#ifndef REPEBBLE_ALLOCATE_PARALLEL_PATH_SHARING_HPP
#define REPEBBLE_ALLOCATE_PARALLEL_PATH_SHARING_HPP

// Block sharing for parallel steps in linear memory: longest paths of the step graph are coloured, as in MXNet's note
// "Squeeze the memory consumption of deep learning", and stand for the ancestor relation of `share_blocks_in_parallel`.
// There one colour for two nodes is enough to share, which is safe only if no node on another path reads the first
// one's value; here every step that touches the buffer must be ordered.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <repebble/allocate/buffer.hpp>
#include <repebble/allocate/parallel/detail/touched_buffers.hpp>
#include <repebble/allocate/parallel/step_graph.hpp>
#include <repebble/allocate/sharing.hpp>
#include <repebble/graph/csr_graph.hpp>
#include <repebble/graph/topological_order.hpp>

namespace repebble::inline v0 {

/// The path of a vertex on none of the paths found.
inline constexpr std::uint32_t no_path = std::numeric_limits<std::uint32_t>::max();

/// Options of `share_blocks_on_paths`.
struct path_sharing_options {
    std::size_t paths = 8;      ///< number of longest paths that get a colour
    sharing_options sharing{};  ///< how blocks are shared along a path
    friend constexpr auto operator==(path_sharing_options const&, path_sharing_options const&) -> bool = default;
};

namespace detail {

struct longest_paths_fn {
    [[nodiscard]] auto operator()(csr_graph const& dag, std::size_t paths) const -> std::vector<std::uint32_t> {
        auto order = kahn_order(dag, false, false);
        std::vector<std::uint32_t> path_of(dag.vertex_count(), no_path);
        std::vector<std::uint32_t> length(dag.vertex_count(), 0);  // of the longest path that ends at it; 0: coloured
        std::vector<csr_graph::vertex> from(dag.vertex_count(), 0);
        for (std::uint32_t path = 0; path < paths && !order.empty(); ++path) {
            auto end = order.front();
            for (auto const v : order) {
                length[v] = 1;
                from[v] = v;
                for (auto const u : dag.predecessors(v))
                    if (length[u] > 0 && length[u] + 1 > length[v]) {
                        length[v] = length[u] + 1;
                        from[v] = u;
                    }
                if (length[v] > length[end]) end = v;
            }
            for (bool more = true; more;) {
                path_of[end] = path;
                length[end] = 0;
                more = from[end] != end;
                end = from[end];
            }
            std::erase_if(order, [&](csr_graph::vertex v) { return path_of[v] != no_path; });
        }
        return path_of;
    }
};

struct share_blocks_on_paths_fn {
    [[nodiscard]] auto operator()(step_graph const& steps, std::span<buffer const> buffers,
                                  path_sharing_options const& options = {}) const -> shared_blocks {
        require_touches(steps, buffers);
        auto const& dag = steps.dependencies;
        auto const path_of = longest_paths_fn{}(dag, options.paths);
        return share_where(buffers, options.sharing, [&](std::size_t i, std::size_t j) {
            // The steps of a path are ordered, and so is a step with an edge into it.
            auto const first = steps.touches[j].front();
            auto const path = path_of[first];
            auto const is_before_first = [&](step_index s) {
                return s == first || (path != no_path && path_of[s] == path && s < first);
            };
            return std::ranges::all_of(steps.touches[i], [&](step_index s) {
                return s != first && (is_before_first(s) || std::ranges::any_of(dag.successors(s), is_before_first));
            });
        });
    }
};

}  // namespace detail

/// Numbers the vertices by path: the longest path of the graph is 0, the longest among the remaining vertices is 1, and
/// so on for as many paths as asked for; no_path for the rest. Ties by index.
/// O((n + m) log n + paths · (n + m)).  Throws not_a_dag.
inline constexpr detail::longest_paths_fn longest_paths{};

/// `share_blocks` for steps that run in parallel, without the ancestor relation: two buffers share if a coloured path
/// shows that one is done before the other begins. A step that touches a buffer is done before a step on a path if it
/// lies on that path further up, or if an edge leads from it to such a step. Shares less than
/// `share_blocks_in_parallel`.
/// O(paths · (n + m) + n · blocks · edges of a buffer's steps) time and O(n + m) memory.  Requires and throws as
/// `share_blocks_in_parallel`.
inline constexpr detail::share_blocks_on_paths_fn share_blocks_on_paths{};

}  // namespace repebble::inline v0

#endif
