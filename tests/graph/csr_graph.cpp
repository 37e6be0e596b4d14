// Covers graph/adapt/nested_range.hpp, graph/csr_graph.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/csr_graph.hpp>

#include "support/archetypes.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"
#include "support/throws.hpp"

using namespace repebble;
using support::throws;

static_assert(bidirectional_graph<csr_graph>);

namespace {

auto row(std::span<csr_graph::vertex const> r) -> std::vector<int> { return {r.begin(), r.end()}; }

constexpr auto square() -> csr_graph {
    std::vector<csr_graph::edge> edges;
    for (auto const& [u, v] :
         {csr_graph::edge{0, 1}, csr_graph::edge{0, 2}, csr_graph::edge{1, 3}, csr_graph::edge{2, 3}})
        edges.emplace_back(u, v);
    return {4, edges};
}
static_assert(square().edge_count() == 4 && square().predecessors(3).size() == 2);
static_assert(csr_graph::copy_of(square()) == square());

}  // namespace

TEST_CASE("rows list successors in the order of the edges, and predecessors in ascending order", "[csr_graph]") {
    csr_graph const g(4, {{2, 3}, {0, 2}, {1, 3}, {0, 1}});
    CHECK(g.vertex_count() == 4);
    CHECK(g.edge_count() == 4);
    CHECK(row(g.successors(0)) == std::vector{2, 1});
    CHECK(row(g.successors(3)).empty());
    CHECK(row(g.predecessors(3)) == std::vector{1, 2});
    CHECK(row(g.predecessors(0)).empty());
    CHECK(g == csr_graph(4, {{0, 2}, {0, 1}, {1, 3}, {2, 3}}));
    CHECK(g != csr_graph(4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}}));
}

TEST_CASE("a graph may be empty, without edges, cyclic, and list an edge twice", "[csr_graph]") {
    CHECK(csr_graph().vertex_count() == 0);
    CHECK(csr_graph() == csr_graph(0, {}));
    CHECK(csr_graph(3, {}).edge_count() == 0);
    csr_graph const g(2, {{0, 1}, {0, 1}, {1, 1}});
    CHECK(g.edge_count() == 3);
    CHECK(row(g.predecessors(1)) == std::vector{0, 0, 1});
}

TEST_CASE("an edge to a vertex that does not exist is named", "[csr_graph]") {
    CHECK(throws<bad_graph>([] { return csr_graph(2, {{0, 1}, {0, 2}}); }, {"0 -> 2", "vertex 2 is out of range"}));
    CHECK_THROWS_AS(csr_graph(2, {{2, 0}}), bad_graph);
    CHECK(throws<bad_graph>(
        [] {
            return csr_graph::copy_of(support::adjacency{{1}, {-1}});
        },
        {"vertex 1 has a successor out of range"}));
    CHECK_THROWS_AS(csr_graph(std::size_t{1} << 32, {}), bad_graph);
}

TEST_CASE("a compact copy has the same edges as the graph, whatever its type", "[csr_graph][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::any_dag(random, 20);
        auto const copy = csr_graph::copy_of(g);
        RC_ASSERT(copy.vertex_count() == g.size());
        for (std::size_t u = 0; u < g.size(); ++u) {
            RC_ASSERT(row(copy.successors(u)) == g[u]);
            for (int const v : g[u])
                RC_ASSERT(std::ranges::count(copy.predecessors(static_cast<std::size_t>(v)), u) == 1);
        }
        RC_ASSERT(csr_graph::copy_of(copy) == copy);
        RC_ASSERT(csr_graph::copy_of(support::least_graph(g)) == copy);
    }));
}
