#ifndef REPEBBLE_GRAPH_ARTICULATION_POINTS_HPP
#define REPEBBLE_GRAPH_ARTICULATION_POINTS_HPP

// Articulation points by one depth-first search (Hopcroft, Tarjan 1973), without recursion: deep networks are long
// paths. The segment strategies cut networks there.

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
[[nodiscard]] auto are_articulation_points(jagged_array<std::size_t> const& neighbours) -> std::vector<bool>;

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

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/graph/articulation_points.ipp>
#endif

#endif
