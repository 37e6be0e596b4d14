#ifndef REPEBBLE_IMPL_ALLOCATE_COLOUR_BUFFERS_IPP
#define REPEBBLE_IMPL_ALLOCATE_COLOUR_BUFFERS_IPP

#include <repebble/allocate/detail/colour_buffers.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

#include <repebble/allocate/detail/share_where.hpp>
#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto conflict_graph(std::span<buffer const> buffers) -> csr_graph {
    require_valid_buffers(buffers);
    using vertex = csr_graph::vertex;
    std::vector<csr_graph::edge> edges;
    std::vector<std::size_t> live;
    for (auto const i : in_order_of_begin(buffers)) {
        auto const ended = [&](std::size_t j) { return buffers[j].lifetime.upper <= buffers[i].lifetime.lower; };
        std::erase_if(live, ended);
        for (auto const j : live) {
            edges.emplace_back(static_cast<vertex>(i), static_cast<vertex>(j));
            edges.emplace_back(static_cast<vertex>(j), static_cast<vertex>(i));
        }
        live.push_back(i);
    }
    std::ranges::sort(edges);
    return {buffers.size(), edges};
}

REPEBBLE_INLINE auto colour_buffers(std::span<buffer const> buffers, csr_graph const& conflicts, block_method method)
    -> shared_blocks {
    require_free_buffers(buffers);
    REPEBBLE_ASSERT(conflicts.vertex_count() == buffers.size());
    auto sequence = in_order_of_begin(buffers);
    if (method == block_method::colour_by_size)
        std::ranges::stable_sort(sequence, {}, [&](std::size_t i) { return -buffers[i].size; });
    shared_blocks out{.block_of = std::vector<std::size_t>(buffers.size(), shared_blocks::no_block)};
    std::vector<std::size_t> denied_to;  // per block: 1 + the last buffer that conflicts with its buffers
    for (auto const i : sequence) {
        for (auto const j : conflicts.successors(i))
            if (out.block_of[j] != shared_blocks::no_block) denied_to[out.block_of[j]] = i + 1;
        std::size_t block = 0;
        while (block < denied_to.size() && denied_to[block] == i + 1) ++block;
        put_into_block(out, buffers, i, block);
        denied_to.resize(out.blocks.size(), 0);
    }
    return out;
}

}  // namespace repebble::inline v0::detail

#endif
