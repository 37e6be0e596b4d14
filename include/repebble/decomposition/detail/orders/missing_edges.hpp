#ifndef REPEBBLE_DECOMPOSITION_DETAIL_ORDERS_MISSING_EDGES_HPP
#define REPEBBLE_DECOMPOSITION_DETAIL_ORDERS_MISSING_EDGES_HPP

// Initial fill scores by triangle counting: each triangle is found once, from its vertex of least rank by degree.
// `sparse_fill` starts from them.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <repebble/decomposition/undirected_graph.hpp>

namespace repebble::inline v0::detail {

/// For every vertex the number of edges missing between its neighbours.  O(m · degeneracy).
[[nodiscard]] inline auto missing_edges(undirected_graph const& g) -> std::vector<std::int64_t> {
    using vertex = undirected_graph::vertex;
    auto const n = g.vertex_count();
    auto const rank = [&](vertex v) { return std::pair(g.degree(v), v); };
    std::vector<std::size_t> start(n + 1, 0);
    std::vector<vertex> later;
    later.reserve(g.edge_count());
    for (vertex v = 0; v < n; ++v) {
        for (auto const w : g.neighbors(v))
            if (rank(v) < rank(w)) later.push_back(w);
        start[v + std::size_t{1}] = later.size();
    }
    std::vector<std::int64_t> missing(n, 0);
    std::vector<vertex> marked_by(n, std::numeric_limits<vertex>::max());
    for (vertex v = 0; v < n; ++v) {
        for (auto k = start[v]; k < start[v + std::size_t{1}]; ++k) marked_by[later[k]] = v;
        for (auto k = start[v]; k < start[v + std::size_t{1}]; ++k) {
            auto const w = later[k];
            for (auto i = start[w]; i < start[w + std::size_t{1}]; ++i)
                if (marked_by[later[i]] == v) {
                    --missing[v];
                    --missing[w];
                    --missing[later[i]];
                }
        }
    }
    for (vertex v = 0; v < n; ++v)
        if (auto const d = static_cast<std::int64_t>(g.degree(v)); d > 1) missing[v] += d * (d - 1) / 2;
    return missing;
}

}  // namespace repebble::inline v0::detail

#endif
