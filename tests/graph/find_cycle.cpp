// Covers graph/adapt/nested_range.hpp, graph/find_cycle.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/find_cycle.hpp>

#include "support/archetypes.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

using namespace repebble;
using support::adjacency;

TEST_CASE("a cycle is spelled out from where the search meets it", "[find_cycle]") {
    CHECK(find_cycle(adjacency{{1}, {2}, {1, 3}, {}}) == std::vector{1, 2});
    CHECK(find_cycle(adjacency{{1}, {1}}) == std::vector{1});
    CHECK(find_cycle(adjacency{{}, {2}, {3}, {1}}) == std::vector{1, 2, 3});
    CHECK(find_cycle(support::least_graph({{1}, {0}})).front().id() == 100);
    CHECK(find_cycle(adjacency{}).empty());
    CHECK(find_cycle(support::chain(200'000)).empty());
}

TEST_CASE("a cycle is found exactly in cyclic graphs", "[find_cycle][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto g = support::any_dag(random, 12);
        RC_ASSERT(find_cycle(g).empty());
        if (g.empty()) return;
        // An edge back from the end of a walk to its start closes a cycle.
        auto v = support::below(random, g.size());
        auto const start = static_cast<int>(v);
        while (!g[v].empty() && support::chance(random, 80)) v = static_cast<std::size_t>(support::pick(random, g[v]));
        g[v].push_back(start);
        auto const cycle = find_cycle(g);
        RC_ASSERT(!cycle.empty());
        RC_ASSERT(std::set(cycle.begin(), cycle.end()).size() == cycle.size());
        for (std::size_t i = 0; i < cycle.size(); ++i)
            RC_ASSERT(std::ranges::count(successors(g, cycle[i]), cycle[(i + 1) % cycle.size()]) > 0);
    }));
}
