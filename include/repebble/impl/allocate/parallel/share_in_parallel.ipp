#ifndef REPEBBLE_IMPL_ALLOCATE_PARALLEL_SHARE_IN_PARALLEL_IPP
#define REPEBBLE_IMPL_ALLOCATE_PARALLEL_SHARE_IN_PARALLEL_IPP

#include <repebble/allocate/detail/parallel/share_in_parallel.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <repebble/allocate/detail/share_where.hpp>
#include <repebble/allocate/detail/parallel/step_order.hpp>
#include <repebble/allocate/detail/parallel/touched_buffers.hpp>
#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

/// Whether every step that touches buffer i ends before the first step that touches buffer j starts.
[[nodiscard]] inline auto done_before(step_graph const& steps, step_order const& order, std::size_t i, std::size_t j)
    -> bool {
    auto const first = steps.touches[j].front();
    return std::ranges::all_of(steps.touches[i], [&](step_index s) { return order.before(s, first); });
}

REPEBBLE_INLINE auto share_in_parallel(step_graph const& steps, std::span<buffer const> buffers,
                                       sharing_options const& options) -> shared_blocks {
    require_touches(steps, buffers);
    auto const order = order_of(steps);
    return share_where(buffers, options, [&](std::size_t i, std::size_t j) { return done_before(steps, order, i, j); });
}

REPEBBLE_INLINE auto parallel_conflict_graph(step_graph const& steps, std::span<buffer const> buffers) -> csr_graph {
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

}  // namespace repebble::inline v0::detail

#endif
