#ifndef REPEBBLE_ALLOCATE_PARALLEL_SHARING_DEPENDENCIES_HPP
#define REPEBBLE_ALLOCATE_PARALLEL_SHARING_DEPENDENCIES_HPP

// Edges that make an existing plan of offsets safe under parallel execution, minimal by transitive reduction: MXNet's
// note "Squeeze the memory consumption of deep learning", section "Stay safe and correct first". For plans of blocks
// and of offsets alike; `find_race` checks the result.

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <repebble/allocate/buffer.hpp>
#include <repebble/allocate/parallel/detail/last_users.hpp>
#include <repebble/allocate/parallel/detail/step_order.hpp>
#include <repebble/allocate/parallel/detail/touched_buffers.hpp>
#include <repebble/allocate/parallel/step_graph.hpp>
#include <repebble/allocate/sharing.hpp>
#include <repebble/detail/sort_unique.hpp>
#include <repebble/graph/csr_graph.hpp>
#include <repebble/graph/error.hpp>

namespace repebble::inline v0 {

namespace detail {

struct sharing_dependencies_fn {
    [[nodiscard]] auto operator()(step_graph const& steps, std::span<buffer const> buffers,
                                  std::span<bytes const> offsets) const -> std::vector<csr_graph::edge> {
        require_touches(steps, buffers);
        if (auto const fault = overlap_in_time(buffers, offsets)) detail::raise(bad_buffer(fault->message));
        auto const required = handovers(steps, buffers, offsets);

        // Step by step, so that the ancestors of all earlier steps are known. Of the steps that must be before s, the
        // latest comes first: no other can be its descendant.
        auto const& dag = steps.dependencies;
        step_order order(steps);
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
        sort_unique(edges);
        return edges;
    }

  private:
    /// Pairs (s, t), ascending: s is the first step to touch a buffer, and t touched a buffer that used some of its
    /// bytes immediately before.
    [[nodiscard]] static auto handovers(step_graph const& steps, std::span<buffer const> buffers,
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
};

}  // namespace detail

/// The edges that a plan of offsets adds to a step graph: from the steps that touch a buffer to the first step that
/// touches the next buffer on some of the same bytes. With them every order that the graph allows runs the plan
/// correctly. No edge is redundant: those that the graph and the other edges imply are left out, and without any one of
/// them there is a race. All follow the schedule, so that there is no cycle. Gaps count as live.
/// O(n log n + (m + edges) n / 64) time, n²/8 bytes for n steps other than discards.
/// Requires: the step graph of the schedule whose lifetimes the buffers are, an offset for each.  Throws bad_buffer if
/// a buffer is not touched or touched outside its lifetime, or if the offsets are no valid plan; bad_graph if an edge
/// of the step graph leads back.
inline constexpr detail::sharing_dependencies_fn sharing_dependencies{};

}  // namespace repebble::inline v0

#endif
