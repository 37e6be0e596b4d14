#ifndef REPEBBLE_DECOMPOSITION_BREADTH_FIRST_LEVELS_HPP
#define REPEBBLE_DECOMPOSITION_BREADTH_FIRST_LEVELS_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <repebble/decomposition/undirected_graph.hpp>

namespace repebble::detail {

/// How far each vertex is from one that is far from others, in each component: the steps of a network that is long and
/// nowhere wide, say. O(n + m).
[[nodiscard]] inline auto breadth_first_levels(undirected_graph const& g) -> std::vector<std::uint32_t> {
    using vertex = undirected_graph::vertex;
    static constexpr auto none = std::numeric_limits<std::uint32_t>::max();
    static constexpr int walks = 3;  // from end to end, after which an end is mostly as far as can be
    std::vector<std::uint32_t> level(g.vertex_count(), none);
    std::vector<vertex> reached;
    for (vertex first = 0; first < g.vertex_count(); ++first) {
        if (level[first] != none) continue;
        auto from = first;
        for (int walk = 0; walk <= walks; ++walk) {
            for (auto const v : reached) level[v] = none;
            reached.assign(1, from);
            level[from] = 0;
            for (std::size_t k = 0; k < reached.size(); ++k)
                for (auto const w : g.neighbors(reached[k])) {
                    if (level[w] != none) continue;
                    level[w] = level[reached[k]] + 1;
                    reached.push_back(w);
                }
            from = reached.back();
        }
        reached.clear();
    }
    return level;
}

}  // namespace repebble::detail

#endif
