#ifndef REPEBBLE_TREEWIDTH_DETAIL_ORDERS_BREADTH_FIRST_LEVELS_HPP
#define REPEBBLE_TREEWIDTH_DETAIL_ORDERS_BREADTH_FIRST_LEVELS_HPP

// Breadth-first levels from pseudo-peripheral vertices, as in bandwidth-reducing orders. `starting_orders` uses them as
// stages of greedy elimination: good for networks that are long and narrow.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include <repebble/decomposition/undirected_graph.hpp>

namespace repebble::inline v0::detail {

/// The distance of each vertex from a pseudo-peripheral vertex of its component. Hubs, with more than four times the
/// average degree, are adjacent to all steps of a network; they are left out and get the level after the last.  O(n +
/// m).
[[nodiscard]] inline auto breadth_first_levels(undirected_graph const& g) -> std::vector<std::uint32_t> {
    using vertex = undirected_graph::vertex;
    static constexpr auto none = std::numeric_limits<std::uint32_t>::max();
    static constexpr int walks = 3;  // repeated searches from the farthest vertex found
    auto const n = g.vertex_count();
    auto const is_hub = [&](vertex v) { return g.degree(v) * n > 8 * g.edge_count(); };
    std::vector<std::uint32_t> level(n, none);
    std::vector<vertex> reached;
    std::uint32_t last = 0;
    for (vertex first = 0; first < n; ++first) {
        if (level[first] != none || is_hub(first)) continue;
        auto from = first;
        for (int walk = 0; walk <= walks; ++walk) {
            for (auto const v : reached) level[v] = none;
            reached.assign(1, from);
            level[from] = 0;
            for (std::size_t k = 0; k < reached.size(); ++k)
                for (auto const w : g.neighbors(reached[k])) {
                    if (level[w] != none || is_hub(w)) continue;
                    level[w] = level[reached[k]] + 1;
                    reached.push_back(w);
                }
            from = reached.back();
        }
        last = std::max(last, level[from]);
        reached.clear();
    }
    for (auto& l : level)
        if (l == none) l = last + 1;
    return level;
}

}  // namespace repebble::inline v0::detail

#endif
