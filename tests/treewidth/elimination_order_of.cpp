// Covers decomposition/elimination.hpp, decomposition/tree_decomposition.hpp,
// treewidth/detail/graphs/elimination_order_of.hpp.
#include <algorithm>
#include <cstdint>

#include <rapidcheck.h>

#include <repebble/decomposition/elimination.hpp>
#include <repebble/decomposition/find_elimination_order.hpp>
#include <repebble/decomposition/tree_decomposition.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/treewidth/detail/graphs/elimination_order_of.hpp>
#include <repebble/treewidth/verify_decomposition.hpp>

#include "decomposition/undirected_graphs.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

namespace {

using namespace repebble;

TEST_CASE("the order of a decomposition is no wider than it, and a second time nothing changes",
          "[elimination_order_of][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::random_undirected(random, 14, support::below(random, 60));
        auto const made = make_tree_decomposition(g, support::random_elimination(random, g.vertex_count()));
        auto const order = detail::elimination_order_of(g, made);
        RC_ASSERT(elimination::of(g, order).width <= made.width());
        auto tighter = make_tree_decomposition(g, order);
        RC_ASSERT(std::ranges::all_of(tighter.bags, [&](auto const& bag) {
            return std::ranges::any_of(made.bags, [&](auto const& b) { return std::ranges::includes(b, bag); });
        }));
    }));
}

TEST_CASE("an invalid decomposition has no order", "[elimination_order_of]") {
    undirected_graph const g(3, {{0, 1}, {1, 2}});
    CHECK_THROWS_WITH(detail::elimination_order_of(g, {{{0, 1}, {2}}, {{0, 1}}}),
                      Catch::Contains("edge 1 - 2 lies in no bag"));
    CHECK_THROWS_AS(detail::elimination_order_of(g, {{{0, 1, 2}, {}}, {}}), bad_decomposition);
    CHECK(detail::elimination_order_of(undirected_graph(), {}).empty());
}

TEST_CASE("the decomposition of a large grid comes back as an order", "[elimination_order_of]") {
    auto const g = support::grid(60, 60);
    auto const order = find_elimination_order(g).order;
    CHECK(elimination::of(g, detail::elimination_order_of(g, make_tree_decomposition(g, order))) ==
          elimination::of(g, order));
}

}  // namespace
