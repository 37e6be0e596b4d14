// Covers decomposition/elimination.hpp, decomposition/undirected_graph.hpp,
// treewidth/detail/graphs/connected_parts.hpp, treewidth/detail/bounds/minor_bound.hpp, treewidth/treewidth.hpp,
// treewidth/detail/exact/treewidth_at_most.hpp, treewidth/detail/exact/width_decision.hpp.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <rapidcheck.h>

#include <repebble/decomposition/elimination.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/detail/split_mix.hpp>
#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/treewidth/detail/bounds/minor_bound.hpp>
#include <repebble/treewidth/detail/exact/treewidth_at_most.hpp>
#include <repebble/treewidth/detail/graphs/connected_parts.hpp>
#include <repebble/treewidth/treewidth.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"
#include "treewidth/small_treewidth.hpp"

namespace {

using namespace repebble;

TEST_CASE("a width is feasible from the treewidth on, and the order proves it", "[treewidth][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g =
            support::chance(random, 60) ? support::any_undirected(random, 10) : support::glued_graph(random, 10);
        auto const least = support::small_treewidth(g);
        for (std::size_t k = 0; k <= least + 1; ++k) {
            auto const decided = detail::treewidth_at_most(g, k);
            RC_ASSERT(decided.answer == std::optional(k >= least));
            if (k >= least) RC_ASSERT(elimination::of(g, decided.order).width <= k);
        }
    }));
}

TEST_CASE("the exact treewidth agrees with a table over all sets", "[treewidth][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g =
            support::chance(random, 60) ? support::any_undirected(random, 11) : support::glued_graph(random, 11);
        auto const found = find_treewidth(g);
        RC_ASSERT(found.lower == support::small_treewidth(g));
        RC_ASSERT(found.is_exact());
        RC_ASSERT(elimination::of(g, found.order).width == found.upper);
    }));
}

TEST_CASE("a decision without reductions agrees with one with them", "[treewidth][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::partial_k_tree(random, 20 + support::below(random, 20), 4, 70);
        auto const found = find_treewidth(g);
        RC_ASSERT(found.is_exact());
        RC_ASSERT(detail::treewidth_at_most(g, found.upper).answer == std::optional(true));
        if (found.lower > 0) RC_ASSERT(detail::treewidth_at_most(g, found.lower - 1).answer == std::optional(false));
    }));
}

TEST_CASE("grids are as wide as their side, Petersen's graph is 4", "[treewidth]") {
    for (std::uint32_t side = 1; side < 7; ++side) {
        auto const found = find_treewidth(support::grid(side, side));
        CHECK(found.is_exact());
        CHECK(found.upper == (side == 1 ? 0 : side));
    }
    CHECK(find_treewidth(support::petersen()).upper == 4);
    CHECK(find_treewidth(undirected_graph()).upper == 0);
}

TEST_CASE("every larger width is feasible, up to the largest number", "[treewidth]") {
    auto const g = support::petersen();
    for (auto const k : {std::size_t{9}, std::size_t{10}, std::numeric_limits<std::size_t>::max()})
        CHECK(detail::treewidth_at_most(g, k).answer == std::optional(true));
    CHECK(detail::minor_bound(g, 4) == 4);
}

TEST_CASE("many paths between two vertices are decided without counting their subsets", "[treewidth]") {
    std::vector<undirected_graph::edge> edges{{0, 1}, {0, 2}};
    for (std::uint32_t k = 0; k < 50; ++k)
        for (auto const& e : {undirected_graph::edge{1, 3 + 2 * k}, {3 + 2 * k, 4 + 2 * k}, {4 + 2 * k, 2}})
            edges.push_back(e);
    CHECK(detail::treewidth_at_most(undirected_graph(103, edges), 2, {.most_states = 100'000}).answer ==
          std::optional(true));
}

TEST_CASE("each of several parts is solved", "[treewidth]") {
    std::vector<undirected_graph::edge> edges;
    for (std::uint32_t part = 0; part < 30; ++part) {
        auto const g = part % 2 == 0 ? support::petersen() : support::grid(3, 3);
        for (std::uint32_t u = 0; u < g.vertex_count(); ++u)
            for (auto const v : g.neighbors(u))
                if (u < v) edges.emplace_back(10 * part + u, 10 * part + v);
    }
    undirected_graph const g(300, edges);
    CHECK(detail::connected_parts(g).size() == 30 + 15);  // a grid has nine vertices
    auto const found = find_treewidth(g);
    CHECK(found.is_exact());
    CHECK(found.upper == 4);
}

TEST_CASE("without time there are still an order and a bound, for any graph", "[treewidth][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::glued_graph(random, 11);
        auto const found = find_treewidth(g, {.limits = {.seconds = 0}});
        auto const least = support::small_treewidth(g);
        RC_ASSERT(found.lower <= least);
        RC_ASSERT(found.upper >= least);
        RC_ASSERT(elimination::of(g, found.order).width == found.upper);
    }));
}

TEST_CASE("every graph that has an undirected view has the treewidth of the view", "[treewidth]") {
    std::vector<std::vector<int>> const ladder{{1, 2}, {3}, {3, 4}, {5}, {5}, {}};
    auto const found = find_treewidth(ladder);
    CHECK(found.is_exact());
    CHECK(found.upper == 2);
    CHECK(find_treewidth(undirected_graph::of(ladder)) == found);
}

TEST_CASE("a search that is stopped does not begin again, though there is time left", "[treewidth]") {
    auto const edges = [] {
        detail::split_mix random(1);
        std::vector<undirected_graph::edge> edges;
        for (undirected_graph::vertex u = 0; u < 80; ++u)
            for (undirected_graph::vertex v = 0; v < u; ++v)
                if (random.below(8) == 0) edges.emplace_back(u, v);
        return edges;
    }();
    undirected_graph const g(80, edges);
    std::size_t asked = 0;
    auto const stop = [&] { return ++asked >= 3; };
    auto const begin = std::chrono::steady_clock::now();
    auto const found = find_treewidth(g, {.limits = {.seconds = 60, .stop = stop}});
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
    CHECK(found.lower <= found.upper);
    CHECK(asked < 1000);
}

TEST_CASE("at a limit there are bounds, and no answer", "[treewidth]") {
    auto const g = support::grid(6, 6);
    CHECK(detail::treewidth_at_most(g, 5, {.most_states = 20}).answer == std::nullopt);
    CHECK(detail::treewidth_at_most(g, 5, {.seconds = 0.0}).answer == std::nullopt);
    CHECK(detail::treewidth_at_most(support::grid(33, 33), 20).answer == std::nullopt);
    auto const found = find_treewidth(g, {.limits = {.work = 20}});
    CHECK(found.lower <= 6);
    CHECK(found.upper == 6);
    CHECK(elimination::of(g, found.order).width == found.upper);
}

}  // namespace
