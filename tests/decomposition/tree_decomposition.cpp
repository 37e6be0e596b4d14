// Covers decomposition/elimination.hpp, decomposition/find_elimination_order.hpp, decomposition/tree_decomposition.hpp,
// decomposition/undirected_graph.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/decomposition/elimination.hpp>
#include <repebble/decomposition/find_elimination_order.hpp>
#include <repebble/decomposition/tree_decomposition.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/treewidth/verify_decomposition.hpp>

#include "decomposition/undirected_graphs.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

namespace {

using namespace repebble;
using bags_list = std::vector<std::vector<std::uint32_t>>;

/// The closed neighbourhoods at elimination, without those that lie within another.
auto bags_step_by_step(undirected_graph const& g, elimination_order const& order) -> bags_list {
    support::eliminated_step_by_step slow(g);
    bags_list all, largest;
    for (auto const v : order) {
        auto bag = slow.neighbors[v];
        bag.insert(v);
        all.emplace_back(bag.begin(), bag.end());
        slow.eliminate(v);
    }
    for (auto const& bag : all)
        if (std::ranges::none_of(all,
                                 [&](auto const& b) { return b.size() > bag.size() && std::ranges::includes(b, bag); }))
            largest.push_back(bag);
    std::ranges::sort(largest);
    return largest;
}

TEST_CASE("the bags of an order are the maximal closed neighbourhoods at elimination",
          "[tree_decomposition][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::random_undirected(random, 14, support::below(random, 60));
        auto const order = support::random_elimination(random, g.vertex_count());
        auto made = make_tree_decomposition(g, order);
        RC_ASSERT(verify_decomposition(g, made).violation == std::nullopt);
        RC_ASSERT(made.width() == elimination::of(g, order).width);
        RC_ASSERT(made.edges.size() == std::max<std::size_t>(made.bags.size(), 1) - 1);
        RC_ASSERT(std::ranges::is_sorted(made.edges));
        RC_ASSERT(std::ranges::all_of(made.edges, [](auto const& e) { return e.first < e.second; }));
        std::ranges::sort(made.bags);
        RC_ASSERT(made.bags == bags_step_by_step(g, order));
    }));
}

TEST_CASE("a path has the bags of its edges, in the order in which it is eliminated", "[tree_decomposition]") {
    undirected_graph const path(4, {{0, 1}, {1, 2}, {2, 3}});
    CHECK(make_tree_decomposition(path, elimination_order{0, 1, 2, 3}) ==
          tree_decomposition{{{0, 1}, {1, 2}, {2, 3}}, {{0, 1}, {1, 2}}});
    CHECK(make_tree_decomposition(path, elimination_order{1, 0, 2, 3}) ==
          tree_decomposition{{{0, 1, 2}, {2, 3}}, {{0, 1}}});
}

TEST_CASE("a graph that is not connected has one tree, and one without vertices no bag", "[tree_decomposition]") {
    undirected_graph const apart(5, {{0, 1}, {3, 4}});
    auto const made = make_tree_decomposition(apart, elimination_order{0, 1, 2, 3, 4});
    CHECK(made == tree_decomposition{{{0, 1}, {2}, {3, 4}}, {{0, 1}, {1, 2}}});
    CHECK(verify_decomposition(apart, made).violation == std::nullopt);
    CHECK(make_tree_decomposition(undirected_graph(), elimination_order{}) == tree_decomposition{});
    CHECK(tree_decomposition{}.width() == 0);
    CHECK(tree_decomposition{{{}}, {}}.width() == 0);
}

TEST_CASE("a decomposition requires an order that names every vertex once", "[tree_decomposition]") {
    CHECK_THROWS_AS(make_tree_decomposition(undirected_graph(2, {}), elimination_order{0}), bad_graph);
}

TEST_CASE("a large grid by minimum fill is decomposed", "[tree_decomposition]") {
    auto const g = support::grid(60, 60);
    auto const order = find_elimination_order(g).order;
    auto const made = make_tree_decomposition(g, order);
    CHECK(verify_decomposition(g, made).violation == std::nullopt);
    CHECK(made.width() == elimination::of(g, order).width);
}

}  // namespace
