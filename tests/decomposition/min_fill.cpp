#include <cstddef>
#include <cstdint>
#include <vector>

#include <rapidcheck.h>

#include <repebble/decomposition/elimination.hpp>
#include <repebble/decomposition/min_fill.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/error.hpp>

#include "decomposition/undirected_graphs.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"

namespace {

using namespace repebble;
using support::eliminated_step_by_step;
using support::grid;
using support::random_source;
using support::random_undirected;

TEST_CASE("width and fill of an order are those of eliminating step by step", "[elimination][property]") {
    CHECK(rc::check([](std::uint64_t seed) {
        random_source random(seed);
        auto const g = random_undirected(random, 24, support::below(random, 60));
        auto const order = support::random_elimination(random, g.vertex_count());
        eliminated_step_by_step slow(g);
        for (auto const v : order) slow.eliminate(v);
        RC_ASSERT(eliminate(g, order) == slow.made);
    }));
}

TEST_CASE("an order that does not name every vertex once is refused", "[elimination]") {
    undirected_graph const g(3, {{0, 1}});
    CHECK_THROWS_WITH(eliminate(g, elimination_order{0, 1}), Catch::Contains("lacks vertex 2"));
    CHECK_THROWS_WITH(eliminate(g, elimination_order{0, 1, 1}), Catch::Contains("vertex 1 twice"));
    CHECK_THROWS_WITH(eliminate(g, elimination_order{0, 1, 7}), Catch::Contains("vertex 7 of 3"));
    CHECK(eliminate(undirected_graph(), elimination_order{}) == elimination{});
}

TEST_CASE("minimum fill always takes a vertex of least fill, and says the width", "[min_fill][property]") {
    CHECK(rc::check([](std::uint64_t seed) {
        random_source random(seed);
        auto const g = random_undirected(random, support::chance(random, 20) ? 90 : 30, 1 + support::below(random, 50));
        auto const made = min_fill(g);
        RC_ASSERT(made.width == eliminate(g, made.order).width);
        eliminated_step_by_step slow(g);
        std::vector<bool> gone(g.vertex_count(), false);
        for (auto const x : made.order) {
            auto const fill = slow.missing(x).size();
            for (std::uint32_t v = 0; v < g.vertex_count(); ++v)
                if (!gone[v]) RC_ASSERT(fill <= slow.missing(v).size());
            slow.eliminate(x);
            gone[x] = true;
        }
    }));
}

TEST_CASE("minimum fill finds the treewidth where no edge has to be added, and that of small grids", "[min_fill]") {
    CHECK(min_fill(undirected_graph()).order.empty());
    CHECK(min_fill(undirected_graph(3, {})).width == 0);
    CHECK(min_fill(grid(1, 50)).width == 1);
    CHECK(min_fill(grid(2, 50)).width == 2);
    CHECK(min_fill(grid(3, 50)).width == 3);
    CHECK(min_fill(std::vector<std::vector<int>>{{1, 2, 3}, {2, 3}, {3}, {}}).width == 3);
}

TEST_CASE("a large grid goes from lists to a matrix, and comes out in one order", "[min_fill]") {
    auto const g = grid(40, 40);
    auto const made = min_fill(g);
    CHECK(made.width == eliminate(g, made.order).width);
    CHECK(made.width >= 40);
    CHECK(made == min_fill(g));
}

TEST_CASE("a star of many leaves is eliminated from its leaves", "[min_fill]") {
    std::vector<undirected_graph::edge> edges;
    for (std::uint32_t leaf = 1; leaf < 200'000; ++leaf) edges.emplace_back(0, leaf);
    CHECK(min_fill(undirected_graph(200'000, edges)).width == 1);
}

}  // namespace
