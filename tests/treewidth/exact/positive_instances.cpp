// Covers treewidth/detail/exact/positive_instances.hpp: the engine by itself, without reductions.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <rapidcheck.h>

#include <repebble/decomposition/elimination.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/treewidth/detail/exact/positive_instances.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"
#include "treewidth/small_treewidth.hpp"

namespace {

using namespace repebble;

TEST_CASE("parts below a bag are built where, and only where, the width suffices", "[positive_instances][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::any_undirected(random, 10);
        auto const least = support::small_treewidth(g);
        for (std::size_t k = 1; k <= least + 1 && k + 1 < g.vertex_count(); ++k) {  // it is not asked beyond
            auto const decided = detail::positive_instances<1>(g, k, {}).run();
            RC_ASSERT(decided.answer == std::optional(k >= least));
            if (k >= least) RC_ASSERT(elimination::of(g, decided.order).width <= k);
        }
    }));
}

TEST_CASE("two parts join at a vertex of which they have neighbours 64 places apart", "[positive_instances]") {
    // Two hubs that are adjacent, each with a path of 64 neighbours, and with two leaves behind those in its list. Path
    // and leaves join in the bag of both hubs, which has room for one vertex more: one leaf alone need not join.
    constexpr std::uint32_t length = 64, first_path = 2, first_leaf = first_path + 2 * length, n = first_leaf + 4;
    std::vector<undirected_graph::edge> edges{{0, 1}};
    for (std::uint32_t hub = 0; hub < 2; ++hub) {
        auto const path = first_path + hub * length;
        for (std::uint32_t k = 0; k < length; ++k) {
            edges.emplace_back(hub, path + k);
            if (k > 0) edges.emplace_back(path + k - 1, path + k);
        }
        for (std::uint32_t leaf = 0; leaf < 2; ++leaf) edges.emplace_back(hub, first_leaf + 2 * hub + leaf);
    }
    undirected_graph const g(n, edges);
    auto const decided = detail::positive_instances<3>(g, 2, {}).run();
    CHECK(decided.answer == std::optional(true));
    CHECK(elimination::of(g, decided.order).width == 2);
}

}  // namespace
