#ifndef REPEBBLE_GRAPH_ARTICULATION_POINTS_HPP
#define REPEBBLE_GRAPH_ARTICULATION_POINTS_HPP

// Articulation points by one depth-first search (Hopcroft, Tarjan 1973), without recursion: deep networks are long
// paths. The segment strategies cut networks there.

#include <cstddef>
#include <vector>

#include <repebble/graph/access.hpp>
#include <repebble/graph/csr_graph.hpp>
#include <repebble/graph/unmet_requirement.hpp>

namespace repebble::inline v0 {

namespace detail {

/// By vertex: true for an articulation point of the graph, taken as undirected.  O(n + m).
[[nodiscard]] auto are_articulation_points(csr_graph const& g) -> std::vector<bool>;

struct articulation_points_fn : takes_graph {
    using takes_graph::operator();

    template <computation_graph Graph>
    [[nodiscard]] constexpr auto operator()(Graph const& g) const -> std::vector<vertex_t<Graph>> {
        auto const by_index = detail::vertices_by_index(g);
        auto const is_point = are_articulation_points(detail::as_csr_graph(g));
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
