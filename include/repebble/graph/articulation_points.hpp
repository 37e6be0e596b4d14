#ifndef REPEBBLE_GRAPH_ARTICULATION_POINTS_HPP
#define REPEBBLE_GRAPH_ARTICULATION_POINTS_HPP

// Articulation points by one depth-first search (Hopcroft, Tarjan 1973), without recursion: deep networks are long
// paths. The segment strategies cut networks there.

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <repebble/detail/jagged_array.hpp>
#include <repebble/graph/access.hpp>
#include <repebble/graph/unmet_requirement.hpp>

namespace repebble::inline v0 {

namespace detail {

/// Whether each vertex of an undirected graph is an articulation point. Row v lists the neighbours of v; a neighbour
/// may occur more than once, and v itself.  O(n + m).
[[nodiscard]] constexpr auto are_articulation_points(jagged_array<std::size_t> const& neighbours) -> std::vector<bool> {
    struct visit {
        std::size_t vertex = 0, parent = 0, next = 0;
    };
    auto const n = neighbours.size();
    std::vector<bool> is_point(n, false);
    std::vector<std::size_t> entered(n, 0), low(n, 0);  // entered: time of entry, 0 before; low: low-point
    std::vector<visit> path;
    std::size_t clock = 0;
    for (std::size_t root = 0; root < n; ++root) {
        if (entered[root] != 0) continue;
        std::size_t children = 0;
        entered[root] = low[root] = ++clock;
        path.push_back({root, root, 0});
        while (!path.empty()) {
            auto& [v, parent, next] = path.back();
            if (next < neighbours[v].size()) {
                auto const w = neighbours[v][next++];
                if (entered[w] == 0) {
                    entered[w] = low[w] = ++clock;
                    path.push_back({w, v, 0});
                } else if (w != parent) {
                    low[v] = std::min(low[v], entered[w]);
                }
                continue;
            }
            auto const [child, above, end] = path.back();
            path.pop_back();
            if (child == root) break;
            low[above] = std::min(low[above], low[child]);
            if (above == root)
                ++children;
            else if (low[child] >= entered[above])
                is_point[above] = true;
        }
        path.clear();
        if (children > 1) is_point[root] = true;
    }
    return is_point;
}

struct articulation_points_fn : takes_graph {
    using takes_graph::operator();

    template <computation_graph Graph>
    [[nodiscard]] constexpr auto operator()(Graph const& g) const -> std::vector<vertex_t<Graph>> {
        auto const by_index = vertices_by_index(g);
        std::vector<std::pair<std::size_t, std::size_t>> pairs;
        for_each_edge(g, [&](std::size_t u, std::size_t w) {
            pairs.emplace_back(u, w);
            pairs.emplace_back(w, u);
        });
        auto const is_point = are_articulation_points(jagged_array<std::size_t>(by_index.size(), pairs));
        std::vector<vertex_t<Graph>> result;
        for (std::size_t i = 0; i < by_index.size(); ++i)
            if (is_point[i]) result.push_back(by_index[i]);
        return result;
    }
};

}  // namespace detail

/// The vertices whose removal increases the number of connected components of the graph, taken as undirected; by index.
/// They are the only checkpoints of size one (Bulatov 2018; Kusumoto et al. 2019, appendix B).  O(n + m) time and
/// space.
inline constexpr detail::articulation_points_fn articulation_points{};

}  // namespace repebble::inline v0

#endif
