#ifndef REPEBBLE_IMPL_ALLOCATE_SHARING_DEPENDENCIES_IPP
#define REPEBBLE_IMPL_ALLOCATE_SHARING_DEPENDENCIES_IPP

#include <repebble/allocate/sharing_dependencies.hpp>

#include <cstddef>
#include <string>

#include <repebble/allocate/detail/parallel/last_users.hpp>
#include <repebble/allocate/detail/parallel/step_order.hpp>
#include <repebble/allocate/detail/parallel/touched_buffers.hpp>
#include <repebble/allocate/share_blocks.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/detail/sort_unique.hpp>
#include <repebble/graph/error.hpp>

namespace repebble::inline v0::detail {

/// Pairs (s, t), ascending: s is the first step to touch a buffer, and t touched a buffer that used some of its
/// bytes immediately before.
[[nodiscard]] inline auto handovers(step_graph const& steps, std::span<buffer const> buffers,
                                    std::span<bytes const> offsets) -> std::vector<csr_graph::edge> {
    std::vector<csr_graph::edge> pairs;
    last_users users;
    for (auto const i : in_order_of_begin(buffers)) {
        std::vector<std::size_t> former;
        users.take({offsets[i], offsets[i] + buffers[i].size}, i, [&](std::size_t j) { former.push_back(j); });
        sort_unique(former);
        for (auto const j : former)
            for (auto const t : steps.touches[j]) pairs.emplace_back(steps.touches[i].front(), t);
    }
    sort_unique(pairs);
    return pairs;
}

}  // namespace repebble::inline v0::detail

namespace repebble::inline v0 {

REPEBBLE_INLINE auto find_sharing_dependencies(step_graph const& steps, std::span<buffer const> buffers,
                                               std::span<bytes const> offsets) -> std::vector<csr_graph::edge> {
    detail::require_touches(steps, buffers);
    if (auto const fault = detail::overlap_in_time(buffers, offsets)) detail::raise(bad_buffer(fault->message));
    auto const required = detail::handovers(steps, buffers, offsets);

    // Step by step, so that the ancestors of all earlier steps are known. Of the steps that must be before s, the
    // latest comes first: no other can be its descendant.
    auto const& dag = steps.dependencies;
    detail::step_order order(steps);
    std::vector<csr_graph::edge> edges;
    auto next = required.begin();
    for (step_index s = 0; s < dag.vertex_count(); ++s) {
        for (auto const p : dag.predecessors(s)) {
            if (p >= s)
                detail::raise(bad_graph("edge " + std::to_string(p) + " -> " + std::to_string(s) +
                                        " of a step graph leads back in the schedule"));
            order.put_before(p, s);
        }
        auto const begin = next;
        while (next != required.end() && next->first == s) ++next;
        for (auto at = next; at != begin;) {
            auto const former = (--at)->second;
            if (order.before(former, s)) continue;
            order.put_before(former, s);
            edges.emplace_back(former, s);
        }
    }
    detail::sort_unique(edges);
    return edges;
}

}  // namespace repebble::inline v0

#endif
