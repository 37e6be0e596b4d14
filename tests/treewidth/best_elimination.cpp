// Covers decomposition/elimination.hpp, decomposition/find_elimination_order.hpp, decomposition/undirected_graph.hpp,
// treewidth/detail/orders/best_elimination.hpp, treewidth/detail/orders/best_order.hpp,
// treewidth/detail/orders/starting_orders.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <rapidcheck.h>

#include <repebble/decomposition/elimination.hpp>
#include <repebble/decomposition/find_elimination_order.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/treewidth/detail/orders/best_elimination.hpp>
#include <repebble/treewidth/detail/orders/starting_orders.hpp>

#include "decomposition/undirected_graphs.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"
#include "treewidth/small_treewidth.hpp"

namespace {

using namespace repebble;

TEST_CASE("the best order is not wider than minimum fill, has the stated width, and is the same on two threads",
          "[best_elimination][property][long]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::random_undirected(random, 50, 1 + support::below(random, 30));
        detail::elimination_search options{.starts = 10, .rounds = 2, .seed = seed};
        auto const best = detail::best_elimination(g, options);
        RC_ASSERT(best.width == elimination::of(g, best.order).width);
        RC_ASSERT(best.width <= find_elimination_order(g).width);
        options.threads = 2;
        RC_ASSERT(detail::best_elimination(g, options) == best);
    }));
}

TEST_CASE("an order of the bound's width ends the search, and without time there is a first order",
          "[best_elimination][long]") {
    auto const g = support::grid(9, 9);
    auto const first = detail::best_elimination(g, {.low = 100});
    CHECK(first.heuristic == "given order");  // by rows: as wide as a row
    CHECK(first.width == 9);
    CHECK(detail::best_elimination(g, {.time_limit = 0}).order == first.order);
    CHECK(detail::best_elimination(g).width == 9);
    CHECK(detail::best_elimination(undirected_graph()).order.empty());
}

TEST_CASE("with time left other starting orders are improved, too", "[best_elimination]") {
    auto const g = support::grid(12, 12);
    auto const best = detail::best_elimination(g, {.time_limit = 0.3, .starts = 1, .rounds = 1});
    CHECK(best.width == elimination::of(g, best.order).width);
    CHECK(best.width <= find_elimination_order(g).width);
}

TEST_CASE("crossed towers come out as narrow as in the order of their steps", "[best_elimination]") {
    // Two towers of 20 vertices; each reads both vertices of the step before.
    std::vector<std::vector<int>> towers(40);
    for (int v = 0; v + 2 < 40; ++v)
        towers[static_cast<std::size_t>(v)] = v % 2 == 0 ? std::vector{v + 2, v + 3} : std::vector{v + 1, v + 2};
    auto const g = undirected_graph::of(towers);
    elimination_order given(40);
    for (std::uint32_t v = 0; v < 40; ++v) given[v] = v;
    CHECK(detail::best_elimination(towers).width == elimination::of(g, given).width);
}

TEST_CASE("a search without threads, or with a negative time limit, is refused", "[best_elimination]") {
    CHECK_THROWS_AS(detail::best_elimination(support::grid(2, 2), {.threads = 0}), bad_option);
    CHECK_THROWS_WITH(detail::best_elimination(support::grid(2, 2), {.time_limit = -1}), Catch::Contains("-1"));
}

TEST_CASE("if minimum fill takes too long, the order is by degrees, by levels or as given", "[best_elimination]") {
    auto const late = [] { return true; };
    auto const by_levels = repebble::detail::first_order(support::grid(6, 40), late);
    CHECK(by_levels.heuristic == "levels");
    CHECK(by_levels.width <= 7);
    CHECK(elimination::of(support::grid(6, 40), by_levels.order).width == by_levels.width);
    CHECK(repebble::detail::first_order(support::grid(40, 6), late).heuristic == "given order");
    std::vector<undirected_graph::edge> star;
    for (std::uint32_t leaf = 1; leaf < 9; ++leaf) star.emplace_back(0, leaf);
    CHECK(repebble::detail::first_order(undirected_graph(9, star), late).heuristic == "degrees");
}

TEST_CASE("the first order is not wider than the given one", "[best_elimination][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::any_undirected(random, 60);
        elimination_order given(g.vertex_count());
        for (std::uint32_t v = 0; v < given.size(); ++v) given[v] = v;
        auto const first = repebble::detail::first_order(g, [] { return false; });
        RC_ASSERT(first.width == elimination::of(g, first.order).width);
        RC_ASSERT(first.width == std::min(elimination::of(g, given).width, find_elimination_order(g).width));
    }));
}

}  // namespace
