#ifndef REPEBBLE_GRAPH_ARTICULATION_POINTS_HPP
#define REPEBBLE_GRAPH_ARTICULATION_POINTS_HPP

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/biconnected_components.hpp>

#include <repebble/graph/access.hpp>
#include <repebble/graph/lower_sets/lower_set.hpp>
#include <repebble/graph/unmet_requirement.hpp>

namespace repebble {

namespace detail {

struct articulation_points_fn : takes_graph {
    using takes_graph::operator();

    template <computation_graph Graph>
    [[nodiscard]] auto operator()(Graph const& g) const -> std::vector<vertex_t<Graph>> {
        using undirected = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS>;
        auto const by_index = vertices_by_index(g);
        undirected copy(by_index.size());
        for_each_edge(g, [&](std::size_t u, std::size_t w) { boost::add_edge(u, w, copy); });
        std::vector<std::size_t> indices;
        boost::articulation_points(copy, std::back_inserter(indices));
        std::ranges::sort(indices);
        std::vector<vertex_t<Graph>> result;
        for (auto const i : indices) result.push_back(by_index[i]);
        return result;
    }
};

}  // namespace detail

/// The vertices whose removal leaves the graph, taken as undirected, in more pieces than before; by index. The only
/// checkpoints of size one (Bulatov 2018; Kusumoto et al. 2019, appendix B).  O(n + m), by Boost.Graph.
inline constexpr detail::articulation_points_fn articulation_points{};

}  // namespace repebble

#endif
