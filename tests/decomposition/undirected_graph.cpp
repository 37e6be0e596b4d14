// Covers decomposition/undirected_graph.hpp.
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <utility>
#include <vector>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/adjacency_matrix.hpp>

#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/graph/adapt/boost_graph.hpp>
#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/concepts.hpp>
#include <repebble/graph/csr_graph.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/graph_traits.hpp>

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

TEST_CASE("more vertices than 32 bits can number are refused before memory is allocated", "[undirected_graph]") {
    CHECK_THROWS_WITH(undirected_graph(std::size_t{1} << 40, {}), Catch::Contains("1099511627776 vertices"));
}

TEST_CASE("an edge to a vertex out of range is named", "[undirected_graph]") {
    CHECK_THROWS_WITH(undirected_graph(2, {{0, 5}}), Catch::Contains("0 - 5") && Catch::Contains("vertex 5"));
}

TEST_CASE("a successor out of range is refused in every view", "[undirected_graph]") {
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

/// Each edge from one end only; its numbers are not from 0 … n - 1 where `first` is not 0.
struct listed_pairs {
    std::vector<std::pair<long, long>> edges;
    long vertices = 0, first = 0;
};

}  // namespace

template <>
struct repebble::graph_traits<listed_pairs> {
    static auto vertices(listed_pairs const& g) { return std::views::iota(g.first, g.first + g.vertices); }
    static auto neighbors(listed_pairs const& g, long v) {
        std::vector<long> all;
        for (auto const& [a, b] : g.edges)
            if (a == v) all.push_back(b);
        return all;
    }
    static auto vertex_index(listed_pairs const&, long v) -> std::size_t { return static_cast<std::size_t>(v); }
};

namespace {

TEST_CASE("an undirected graph is the same through every adaptor", "[undirected_graph]") {
    std::vector<std::pair<int, int>> const edges{{0, 1}, {2, 0}, {1, 3}, {3, 2}, {1, 1}, {1, 0}};
    undirected_graph const expected(5, {{0, 1}, {0, 2}, {1, 3}, {2, 3}});
    boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS> lists(5);
    boost::adjacency_list<boost::setS, boost::vecS, boost::undirectedS> sets(5);
    boost::adjacency_matrix<boost::undirectedS> matrix(5);
    std::vector<std::vector<int>> both_ends(5);
    listed_pairs pairs{{}, 5};
    for (auto const& [u, v] : edges) {
        auto const a = static_cast<std::size_t>(u), b = static_cast<std::size_t>(v);
        boost::add_edge(a, b, lists);
        boost::add_edge(a, b, sets);
        boost::add_edge(a, b, matrix);
        both_ends[a].push_back(v);
        both_ends[b].push_back(u);
        pairs.edges.emplace_back(u, v);
    }
    CHECK(undirected_graph::of(lists) == expected);
    CHECK(undirected_graph::of(sets) == expected);
    CHECK(undirected_graph::of(matrix) == expected);
    CHECK(undirected_graph::of(both_ends) == expected);
    CHECK(undirected_graph::of(pairs) == expected);
    static_assert(undirected_adjacency<decltype(lists)> && !computation_graph<decltype(lists)>);
    static_assert(!undirected_adjacency<std::vector<std::vector<int>>>);
}

TEST_CASE("an index out of range is refused in an undirected graph, too", "[undirected_graph]") {
    CHECK_THROWS_WITH(undirected_graph::of(listed_pairs{{{1, 2}}, 2}), Catch::Contains("vertex 2 is out of range"));
    CHECK_THROWS_WITH(undirected_graph::of(listed_pairs{{{1, 4294967295}}, 2}), Catch::Contains("vertex 4294967295"));
    CHECK_THROWS_AS(undirected_graph::of(listed_pairs{{{1, 2}}, 2, 1}), bad_graph);
}

TEST_CASE("in the moral view the predecessors of a vertex are adjacent", "[undirected_graph]") {
    std::vector<std::vector<int>> const lists{{3}, {3}, {3}, {4}, {}};
    CHECK(undirected_graph::moral(lists) ==
          undirected_graph(5, {{0, 3}, {1, 3}, {2, 3}, {3, 4}, {0, 1}, {0, 2}, {1, 2}}));
}

}  // namespace
