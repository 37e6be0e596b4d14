#ifndef REPEBBLE_ALLOCATE_CONFLICT_GRAPH_HPP
#define REPEBBLE_ALLOCATE_CONFLICT_GRAPH_HPP

// The interference graph of buffers and its greedy colouring (Chen et al. 2016, section 3): an alternative to
// `share_blocks` that assigns buffers to whole blocks. `parallel_conflict_graph` makes a graph for parallel steps that
// `colour_buffers` takes as well.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <repebble/allocate/buffer.hpp>
#include <repebble/allocate/sharing.hpp>
#include <repebble/graph/csr_graph.hpp>

namespace repebble::inline v0 {

/// The order in which buffers are coloured.
enum class colouring_order : std::uint8_t {
    size,   ///< largest first: no block grows
    begin,  ///< by begin: the least number of blocks
};

namespace detail {

struct conflict_graph_fn {
    [[nodiscard]] auto operator()(std::span<buffer const> buffers) const -> csr_graph {
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
};

struct colour_buffers_fn {
    [[nodiscard]] auto operator()(std::span<buffer const> buffers, csr_graph const& conflicts,
                                  colouring_order order = colouring_order::size) const -> shared_blocks {
        require_free_buffers(buffers);
        REPEBBLE_ASSERT(conflicts.vertex_count() == buffers.size());
        auto sequence = in_order_of_begin(buffers);
        if (order == colouring_order::size)
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

    [[nodiscard]] auto operator()(std::span<buffer const> buffers, colouring_order order = colouring_order::size) const
        -> shared_blocks {
        return (*this)(buffers, conflict_graph_fn{}(buffers), order);
    }
};

}  // namespace detail

/// The interference graph of buffers: edges in both directions between two that are live at once. A buffer counts as
/// live through its gaps; one without bytes or time conflicts with none.
/// O(n²) time and edges if all are live at once: for some thousands of buffers.  Throws bad_buffer if a buffer is
/// invalid.
inline constexpr detail::conflict_graph_fn conflict_graph{};

/// Greedy colouring of a conflict graph, by default of `conflict_graph`: each buffer gets the first block without a
/// buffer that it conflicts with. In the order of begin this needs, for lifetimes, the least number of blocks: an
/// interval graph has a perfect elimination order. In the order of size a block is as large as its first buffer, and
/// the total is a heuristic.
/// O(n log n + edges), and the graph.  Requires: a vertex for each buffer, edges in both directions.  Throws as
/// `share_blocks`.
inline constexpr detail::colour_buffers_fn colour_buffers{};

}  // namespace repebble::inline v0

#endif
