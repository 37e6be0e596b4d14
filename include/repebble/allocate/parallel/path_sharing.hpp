#ifndef REPEBBLE_ALLOCATE_PARALLEL_PATH_SHARING_HPP
#define REPEBBLE_ALLOCATE_PARALLEL_PATH_SHARING_HPP

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

/// The path of a vertex that lies on none of those that were sought.
inline constexpr std::uint32_t no_path = std::numeric_limits<std::uint32_t>::max();

struct path_sharing_options {
    std::size_t paths = 8;  ///< how many longest paths get a colour
    sharing_options sharing{};
    friend constexpr auto operator==(path_sharing_options const&, path_sharing_options const&) -> bool = default;
};

namespace detail {

struct longest_paths_fn {
    [[nodiscard]] auto operator()(csr_graph const& dag, std::size_t paths) const -> std::vector<std::uint32_t> {
        auto order = kahn_order(dag, false, false);
        std::vector<std::uint32_t> path_of(dag.vertex_count(), no_path);
        std::vector<std::uint32_t> length(dag.vertex_count(), 0);  // of the longest path that ends there; 0: coloured
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
            // A path is in order, and so is what has an edge into it.
            auto const first = steps.touches[j].front();
            auto const path = path_of[first];
            auto const on_the_way = [&](step_index s) {
                return s == first || (path != no_path && path_of[s] == path && s < first);
            };
            return std::ranges::all_of(steps.touches[i], [&](step_index s) {
                return s != first && (on_the_way(s) || std::ranges::any_of(dag.successors(s), on_the_way));
            });
        });
    }
};

}  // namespace detail

/// For every vertex the number of its path: the longest path of the graph is 0, the longest among the vertices that are
/// left is 1, and so on for as many paths as asked for; no_path for what then remains. Ties by index.
/// O((n + m) log n + paths · (n + m)).  Throws not_a_dag.
inline constexpr detail::longest_paths_fn longest_paths{};

/// `share_blocks_in_parallel` without the ancestor relation: paths of the step graph are coloured, the longest first,
/// and two buffers share where that shows that one is done before the other begins. A step that touches a buffer is
/// done before a step on a path when it lies on that path further up, or when an edge leads from it to there.
/// The paths are those of MXNet's note "Squeeze the memory consumption of deep learning". There one colour for two
/// nodes is enough to share, which is safe only where nobody on another path reads the first one's value: here all that
/// touch the buffer must be done. Shares less than the ancestor relation allows, in
/// O(paths · (n + m) + n · blocks · edges of a buffer's steps) time and O(n + m) memory.
/// Requires and throws as `share_blocks_in_parallel`.
inline constexpr detail::share_blocks_on_paths_fn share_blocks_on_paths{};

}  // namespace repebble::inline v0

#endif
