// Covers graph/adapt/nested_range.hpp, graph/reachability.hpp.
#include <cstddef>
#include <cstdint>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/reachability.hpp>

#include "support/archetypes.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

using namespace repebble;

namespace {

void visit(support::adjacency const& g, std::size_t v, vertex_set& seen) {
    if (seen.contains(v)) return;
    seen.insert(v);
    for (int const w : g[v]) visit(g, static_cast<std::size_t>(w), seen);
}

}  // namespace

TEST_CASE("descendants agree with a depth-first search, ancestors with a reverse one", "[reachability][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::any_dag(random, 80);
        auto const below = descendants(g);
        auto const above = ancestors(g);
        RC_ASSERT(above.size() == g.size());
        RC_ASSERT(below.size() == g.size());
        for (std::size_t v = 0; v < g.size(); ++v) {
            vertex_set found(g.size());
            visit(g, v, found);
            RC_ASSERT(below[v] == found);
            for (std::size_t u = 0; u < g.size(); ++u) RC_ASSERT(above[v].contains(u) == below[u].contains(v));
        }
        RC_ASSERT(ancestors(support::least_graph(g)) == above);
    }));
}

TEST_CASE("nothing is reachable in a graph with a cycle", "[reachability]") {
    CHECK_THROWS_AS(ancestors(support::adjacency{{1}, {0}}), not_a_dag);
    CHECK_THROWS_AS(descendants(support::adjacency{{1}, {0}}), not_a_dag);
    CHECK(ancestors(support::adjacency{}).empty());
}
