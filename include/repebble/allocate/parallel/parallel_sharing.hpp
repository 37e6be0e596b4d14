#ifndef REPEBBLE_ALLOCATE_PARALLEL_PARALLEL_SHARING_HPP
#define REPEBBLE_ALLOCATE_PARALLEL_PARALLEL_SHARING_HPP

// Block sharing that keeps all parallelism of the step graph: `share_blocks` restricted by the ancestor relation, as in
// MXNet's note "Squeeze the memory consumption of deep learning", section "Try to allow more parallelization".
// `path_sharing` approximates the relation in linear memory; `sharing_dependencies` adds edges instead.

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <repebble/allocate/buffer.hpp>
#include <repebble/allocate/parallel/detail/step_order.hpp>
#include <repebble/allocate/parallel/detail/touched_buffers.hpp>
#include <repebble/allocate/parallel/step_graph.hpp>
#include <repebble/allocate/sharing.hpp>
#include <repebble/graph/csr_graph.hpp>

namespace repebble::inline v0 {

namespace detail {

/// Whether every step that touches buffer i ends before the first step that touches buffer j starts.
[[nodiscard]] inline auto done_before(step_graph const& steps, step_order const& order, std::size_t i, std::size_t j)
    -> bool {
    auto const first = steps.touches[j].front();
    return std::ranges::all_of(steps.touches[i], [&](step_index s) { return order.before(s, first); });
}

struct share_blocks_in_parallel_fn {
    [[nodiscard]] auto operator()(step_graph const& steps, std::span<buffer const> buffers,
                                  sharing_options const& options = {}) const -> shared_blocks {
        require_touches(steps, buffers);
        auto const order = order_of(steps);
        return share_where(buffers, options,
                           [&](std::size_t i, std::size_t j) { return done_before(steps, order, i, j); });
    }
};

struct parallel_conflict_graph_fn {
    [[nodiscard]] auto operator()(step_graph const& steps, std::span<buffer const> buffers) const -> csr_graph {
        require_touches(steps, buffers);
        using vertex = csr_graph::vertex;
        auto const order = order_of(steps);
        auto const sequence = in_order_of_begin(buffers);
        std::vector<csr_graph::edge> edges;
        for (std::size_t k = 0; k < sequence.size(); ++k)
            for (std::size_t l = 0; l < k; ++l) {
                auto const [i, j] = std::pair(sequence[l], sequence[k]);  // i begins first
                if (buffers[i].lifetime.upper <= buffers[j].lifetime.lower && done_before(steps, order, i, j)) continue;
                edges.emplace_back(static_cast<vertex>(i), static_cast<vertex>(j));
                edges.emplace_back(static_cast<vertex>(j), static_cast<vertex>(i));
            }
        std::ranges::sort(edges);
        return {buffers.size(), edges};
    }
};

}  // namespace detail

/// `share_blocks` for steps that run in parallel: a buffer may reuse another's block only if every step that touches
/// the other is an ancestor of the first step that touches it, and the other's lifetime has ended in the schedule. The
/// plan is safe in every order that the step graph allows, and adds no edge. Recomputed instances have few ancestors,
/// so that a schedule with many of them needs much memory this way: there, share freely and add the edges of
/// `sharing_dependencies`.
/// O(m n / 64 + n · blocks · touches) time, n²/8 bytes for n steps other than discards: 12 MB for 10,000 of them, 1.2
/// GB for 100,000; `share_blocks_on_paths` needs linear memory.
/// Requires: the step graph of the schedule whose lifetimes the buffers are.  Throws as `share_blocks`, and bad_buffer
/// if a buffer is not touched or touched outside its lifetime.
inline constexpr detail::share_blocks_in_parallel_fn share_blocks_in_parallel{};

/// The interference graph under parallel execution: edges in both directions between two buffers of which neither may
/// reuse the other's memory. `colour_buffers` makes a plan from it that is as safe as `share_blocks_in_parallel`.  O(n²
/// · touches): for some thousands of buffers.  Requires and throws as that.
inline constexpr detail::parallel_conflict_graph_fn parallel_conflict_graph{};

}  // namespace repebble::inline v0

#endif
