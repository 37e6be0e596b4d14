#ifndef REPEBBLE_DECOMPOSITION_PATH_DECOMPOSITION_HPP
#define REPEBBLE_DECOMPOSITION_PATH_DECOMPOSITION_HPP

// Path decompositions from linear orders: the vertex separation of an order is the width of its path decomposition
// (Kinnersley 1992). The counterpart of `decompose` for pathwidth.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include <repebble/decomposition/elimination.hpp>
#include <repebble/decomposition/tree_decomposition.hpp>
#include <repebble/decomposition/undirected_graph.hpp>

namespace repebble::inline v0 {

namespace detail {

struct path_decompose_fn {
    [[nodiscard]] auto operator()(undirected_graph const& g, std::span<undirected_graph::vertex const> order) const
        -> tree_decomposition {
        auto const place = places_of(g, order);
        auto const n = static_cast<std::uint32_t>(order.size());
        std::vector<std::uint32_t> last(place);  // the last position of the vertex or a neighbour
        std::vector<char> ends(n, 0);            // per position: whether some vertex is needed no longer after it
        for (std::uint32_t v = 0; v < n; ++v) {
            for (auto const w : g.neighbors(v)) last[v] = std::max(last[v], place[w]);
            ends[last[v]] = 1;
        }
        tree_decomposition made;
        std::vector<undirected_graph::vertex> live;
        std::ptrdiff_t sorted = 0;
        for (std::uint32_t k = 0; k < n; ++k) {
            live.push_back(order[k]);
            if (ends[k] == 0) continue;  // the next bag contains this one
            std::sort(live.begin() + sorted, live.end());
            std::inplace_merge(live.begin(), live.begin() + sorted, live.end());
            made.bags.push_back(live);
            std::erase_if(live, [&](auto v) { return last[v] == k; });
            sorted = std::ssize(live);
        }
        for (std::uint32_t b = 1; b < made.bags.size(); ++b) made.edges.emplace_back(b - 1, b);
        return made;
    }
};

}  // namespace detail

/// The path decomposition of an order of the vertices. The bag of a position is its vertex and all earlier vertices
/// with a neighbour at that position or later; bags within another bag are left out. The tree is a path, bag after bag.
/// Its width is the vertex separation of the order: the greatest number of vertices before a position that have a
/// neighbour at it or later. The least over all orders is the pathwidth.
///
/// O(m + sum of the bags' sizes and of sorting them).  Throws bad_graph, naming the vertex, unless the order names
/// every vertex once.
inline constexpr detail::path_decompose_fn path_decompose{};

}  // namespace repebble::inline v0

#endif
