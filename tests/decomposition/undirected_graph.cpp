#include <cstdint>
#include <utility>
#include <vector>

#include <boost/graph/adjacency_list.hpp>

#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/graph/adapt/boost_graph.hpp>
#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/csr_graph.hpp>
#include <repebble/graph/error.hpp>

#include "support/catch.hpp"

namespace {

using namespace repebble;

TEST_CASE("an undirected graph has each edge once, from both ends, and no loop", "[undirected_graph]") {
    undirected_graph const g(4, {{2, 0}, {0, 2}, {1, 1}, {0, 1}, {2, 0}});
    CHECK(g.vertex_count() == 4);
    CHECK(g.edge_count() == 2);
    CHECK(std::vector<std::uint32_t>(g.neighbors(0).begin(), g.neighbors(0).end()) == std::vector<std::uint32_t>{1, 2});
    CHECK(g.degree(1) == 1);
    CHECK(g.degree(3) == 0);
    CHECK(undirected_graph(0, {}) == undirected_graph());
}

TEST_CASE("an edge to a vertex that is not there is named", "[undirected_graph]") {
    CHECK_THROWS_WITH(undirected_graph(2, {{0, 5}}), Catch::Contains("0 - 5") && Catch::Contains("vertex 5"));
}

TEST_CASE("a successor that is not there is refused in every view", "[undirected_graph]") {
    std::vector<std::vector<int>> const lists{{1}, {7}};
    CHECK_THROWS_AS(undirected_graph::of(lists), bad_graph);
    CHECK_THROWS_AS(undirected_graph::moral(lists), bad_graph);
}

TEST_CASE("any computation graph has an undirected view, the same through every adaptor", "[undirected_graph]") {
    undirected_graph const expected(4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}});
    std::vector<std::vector<int>> const lists{{1, 2}, {3}, {3}, {}};
    CHECK(undirected_graph::of(lists) == expected);
    CHECK(undirected_graph::of(csr_graph(4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}})) == expected);
    boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS> boosted(4);
    for (auto const& [u, v] : std::vector<std::pair<int, int>>{{0, 1}, {0, 2}, {1, 3}, {2, 3}})
        boost::add_edge(static_cast<std::size_t>(u), static_cast<std::size_t>(v), boosted);
    CHECK(undirected_graph::of(boosted) == expected);
}

TEST_CASE("in the moral view all that a vertex reads are neighbours", "[undirected_graph]") {
    std::vector<std::vector<int>> const lists{{3}, {3}, {3}, {4}, {}};
    CHECK(undirected_graph::moral(lists) ==
          undirected_graph(5, {{0, 3}, {1, 3}, {2, 3}, {3, 4}, {0, 1}, {0, 2}, {1, 2}}));
}

}  // namespace
