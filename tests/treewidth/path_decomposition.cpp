// Covers decomposition/elimination.hpp, decomposition/tree_decomposition.hpp, decomposition/undirected_graph.hpp,
// treewidth/path_decomposition.hpp, treewidth/verify_decomposition.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/decomposition/elimination.hpp>
#include <repebble/decomposition/tree_decomposition.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/treewidth/path_decomposition.hpp>
#include <repebble/treewidth/verify_decomposition.hpp>

#include "decomposition/undirected_graphs.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

namespace {

using namespace repebble;

/// The vertex separation: the greatest number of vertices in a prefix of the order with a neighbour in the rest.
auto vertex_separation(undirected_graph const& g, elimination_order const& order) -> std::size_t {
    std::size_t most = 0;
    for (auto cut = order.begin(); cut != order.end(); ++cut) {
        auto const live = std::count_if(order.begin(), cut, [&](auto v) {
            return std::ranges::any_of(g.neighbors(v),
                                       [&](auto w) { return std::find(cut, order.end(), w) != order.end(); });
        });
        most = std::max(most, static_cast<std::size_t>(live));
    }
    return most;
}

TEST_CASE("the path of an order is as wide as its vertex separation, no bag within the next",
          "[path_decomposition][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::random_undirected(random, 14, support::below(random, 50));
        auto const order = support::random_elimination(random, g.vertex_count());
        auto const made = make_path_decomposition(g, order);
        RC_ASSERT(verify_decomposition(g, made).violation == std::nullopt);
        RC_ASSERT(made.width() == vertex_separation(g, order));
        for (auto const& [a, b] : made.edges) RC_ASSERT(a + 1 == b);
        for (std::size_t a = 0; a < made.bags.size(); ++a)
            for (std::size_t b = 0; b < made.bags.size(); ++b)
                if (a != b) RC_ASSERT(!std::ranges::includes(made.bags[a], made.bags[b]));
    }));
}

TEST_CASE("a grid is as wide as its columns, row by row", "[path_decomposition]") {
    elimination_order order(30);
    for (std::uint32_t v = 0; v < 30; ++v) order[v] = v;
    CHECK(make_path_decomposition(support::grid(6, 5), order).width() == 5);
    CHECK(make_path_decomposition(undirected_graph(3, {{0, 1}}), elimination_order{2, 1, 0}) ==
          tree_decomposition{{{2}, {0, 1}}, {{0, 1}}});
    CHECK(make_path_decomposition(undirected_graph(), elimination_order{}) == tree_decomposition{});
}

TEST_CASE("a path decomposition requires an order that names every vertex once", "[path_decomposition]") {
    CHECK_THROWS_WITH(make_path_decomposition(undirected_graph(2, {}), elimination_order{0}),
                      Catch::Contains("lacks vertex 1"));
}

}  // namespace
