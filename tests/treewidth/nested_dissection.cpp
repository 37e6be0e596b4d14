// Covers decomposition/elimination.hpp, decomposition/undirected_graph.hpp,
// treewidth/detail/orders/multilevel_separator.hpp, treewidth/detail/orders/weighted_graph.hpp,
// treewidth/nested_dissection.hpp.
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <rapidcheck.h>

#include <repebble/decomposition/elimination.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/detail/split_mix.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/treewidth/detail/orders/multilevel_separator.hpp>
#include <repebble/treewidth/detail/orders/weighted_graph.hpp>
#include <repebble/treewidth/nested_dissection.hpp>

#include "decomposition/undirected_graphs.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

namespace {

using namespace repebble;

/// The weighted graph of a whole graph.
auto separated(undirected_graph const& g, double share, std::uint64_t seed) -> detail::separation {
    std::vector<undirected_graph::vertex> all, number(g.vertex_count(), ~undirected_graph::vertex{0});
    for (std::uint32_t v = 0; v < g.vertex_count(); ++v) all.push_back(v);
    detail::split_mix random(seed);
    return detail::multilevel_separator(detail::induced_part(g, all, number), share, random);
}

TEST_CASE("a separator separates, and its weights are those of the sides", "[multilevel_separator][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g =
            support::random_undirected(random, support::chance(random, 30) ? 200 : 20, 1 + support::below(random, 20));
        RC_PRE(g.vertex_count() > 0);
        auto const cut = separated(g, 0.6, seed);
        std::array<std::int64_t, 3> weight{};
        for (std::size_t v = 0; v < g.vertex_count(); ++v) {
            ++weight[cut.side[v]];
            for (auto const w : g.neighbors(v)) RC_ASSERT(cut.side[v] + cut.side[w] != 1);
        }
        RC_ASSERT(weight == cut.weight);
    }));
}

TEST_CASE("a grid's separator is no larger than a row or column", "[multilevel_separator]") {
    auto const cut = separated(support::grid(30, 30), 0.55, 1);
    CHECK(cut.weight[2] <= 30);
    CHECK(cut.weight[0] <= 495);
    CHECK(cut.weight[1] <= 495);
}

TEST_CASE("vertices of one stage in different parts are not neighbours", "[nested_dissection]") {
    auto const g = support::grid(24, 24);
    auto const stages = detail::dissect(g, {.depth = 3, .least = 20});
    std::vector<std::size_t> sizes(4, 0);
    for (auto const stage : stages) ++sizes.at(stage);
    CHECK(sizes[3] <= 24);
    CHECK(sizes[0] > 450);
    CHECK(sizes[1] > 0);
    CHECK(detail::dissect(g, {.depth = 0}) == std::vector<std::uint32_t>(g.vertex_count(), 0));
    CHECK_THROWS_WITH(detail::dissect(g, {.share = 1.5}), Catch::Contains("1.5"));
}

TEST_CASE("nested dissection eliminates stage by stage, and returns the width", "[nested_dissection][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::random_undirected(random, 60, 1 + support::below(random, 40));
        dissection_options const options{.depth = support::below(random, 4), .least = 4, .seed = seed};
        auto const made = find_dissection_order(g, options);
        auto const stages = detail::dissect(g, options);
        RC_ASSERT(made.width == elimination::of(g, made.order).width);
        for (std::size_t k = 1; k < made.order.size(); ++k)
            RC_ASSERT(stages[made.order[k - 1]] <= stages[made.order[k]]);
    }));
}

TEST_CASE("greedy elimination requires as many stages as vertices", "[elimination_order]") {
    std::vector<std::uint32_t> const stages(3, 0);
    CHECK_THROWS_WITH(find_elimination_order(support::grid(2, 2), {.rule = least_fill, .stages = stages}),
                      Catch::Contains("3 stages for 4"));
}

}  // namespace
