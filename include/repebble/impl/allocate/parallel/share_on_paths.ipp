#ifndef REPEBBLE_IMPL_ALLOCATE_PARALLEL_SHARE_ON_PATHS_IPP
#define REPEBBLE_IMPL_ALLOCATE_PARALLEL_SHARE_ON_PATHS_IPP

#include <repebble/allocate/detail/parallel/share_on_paths.hpp>

#include <algorithm>

#include <repebble/allocate/detail/share_where.hpp>
#include <repebble/allocate/detail/parallel/touched_buffers.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/topological_order.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto longest_paths(csr_graph const& dag, std::size_t paths) -> std::vector<std::uint32_t> {
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

REPEBBLE_INLINE auto share_on_paths(step_graph const& steps, std::span<buffer const> buffers,
                                    sharing_options const& options) -> shared_blocks {
    require_touches(steps, buffers);
    auto const& dag = steps.dependencies;
    auto const path_of = longest_paths(dag, *options.paths);
    return share_where(buffers, options, [&](std::size_t i, std::size_t j) {
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

}  // namespace repebble::inline v0::detail

#endif
