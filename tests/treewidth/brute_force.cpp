// Covers decomposition/elimination.hpp, decomposition/find_elimination_order.hpp, decomposition/tree_decomposition.hpp,
// decomposition/undirected_graph.hpp, treewidth/detail/orders/best_elimination.hpp,
// treewidth/detail/improve/decomposition_region.hpp, treewidth/detail/graphs/elimination_order_of.hpp,
// treewidth/detail/exact/join_orders.hpp, treewidth/detail/improve/make_minimal.hpp,
// treewidth/detail/bounds/minor_bound.hpp, treewidth/detail/exact/safe_reductions.hpp,
// treewidth/detail/exact/safe_separators.hpp, treewidth/treewidth.hpp, treewidth/verify_decomposition.hpp,
// treewidth/width_bounds.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <rapidcheck.h>

#include <repebble/decomposition/elimination.hpp>
#include <repebble/decomposition/find_elimination_order.hpp>
#include <repebble/decomposition/tree_decomposition.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/detail/split_mix.hpp>
#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/treewidth/detail/bounds/minor_bound.hpp>
#include <repebble/treewidth/detail/exact/join_orders.hpp>
#include <repebble/treewidth/detail/exact/safe_reductions.hpp>
#include <repebble/treewidth/detail/exact/safe_separators.hpp>
#include <repebble/treewidth/detail/graphs/elimination_order_of.hpp>
#include <repebble/treewidth/detail/improve/decomposition_region.hpp>
#include <repebble/treewidth/detail/improve/make_minimal.hpp>
#include <repebble/treewidth/detail/orders/best_elimination.hpp>
#include <repebble/treewidth/treewidth.hpp>
#include <repebble/treewidth/verify_decomposition.hpp>
#include <repebble/treewidth/width_bounds.hpp>

#include "decomposition/undirected_graphs.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"
#include "support/throws.hpp"
#include "treewidth/small_treewidth.hpp"

namespace {

using namespace repebble;

/// Checks every algorithm against the treewidth by brute force.
void check_against_brute_force(support::split_mix& random, undirected_graph const& g) {
    auto const least = support::small_treewidth(g);
    auto const found = find_treewidth(g);
    RC_ASSERT(found.is_exact());
    RC_ASSERT(found.upper == least);
    RC_ASSERT(!verify_decomposition(g, make_tree_decomposition(g, found.order)).violation);
    RC_ASSERT(make_tree_decomposition(g, found.order).width() == least);

    RC_ASSERT(find_contraction_bound(g, 2) <= least);
    auto const low = support::below(random, least + 1);
    auto const reduced = detail::reduce_safely(g, low);
    RC_ASSERT(std::max(reduced.low, support::small_treewidth(reduced.kernel)) == least);
    std::size_t widest = 0;
    for (auto const& atom : detail::split_safely(g)) widest = std::max(widest, support::small_treewidth(atom.graph));
    RC_ASSERT(widest == least);

    auto const order = support::random_elimination(random, g.vertex_count());
    auto const width = elimination::of(g, order).width;
    auto made = make_tree_decomposition(g, order);
    RC_ASSERT(made.width() == width);
    RC_ASSERT(!verify_decomposition(g, made).violation);
    RC_ASSERT(elimination::of(g, detail::make_minimal(g, order)).width <= width);
    if (g.vertex_count() == 0) return;
    // A bag may still be valid without one of its vertices, but no decomposition is narrower than the treewidth.
    for (auto& bag : made.bags)
        while (bag.size() > least) bag.pop_back();
    if (least > 0) RC_ASSERT(verify_decomposition(g, made).violation.has_value());
}

TEST_CASE("thousands of small graphs have the treewidth that brute force finds, by every way",
          "[treewidth][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        for (int k = 0; k < 100; ++k)
            check_against_brute_force(random, support::chance(random, 60) ? support::any_undirected(random, 10)
                                                                          : support::glued_graph(random, 10));
    }));
}

TEST_CASE("the minor bound is not above the width of a partial k-tree, and finds that of a grid",
          "[minor_bound][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const k = 2 + support::below(random, 4);
        auto const g = support::partial_k_tree(random, 45 + support::below(random, 60), k, 80);
        auto const low = find_contraction_bound(g);
        auto const bound = detail::minor_bound(g, low, {.most_states = 20'000});
        RC_ASSERT(bound >= low);
        RC_ASSERT(bound <= k);
    }));
    auto const g = support::grid(7, 7);
    CHECK(find_contraction_bound(g) < 7);
    CHECK(detail::minor_bound(g, find_contraction_bound(g), {.most_states = 100'000}) >= 6);
}

TEST_CASE("questions that the states leave open do not raise the minor bound", "[minor_bound]") {
    auto const g = support::grid(8, 8);
    auto const low = find_contraction_bound(g);
    auto const bound = detail::minor_bound(g, low, {.most_states = 1});
    CHECK(bound >= low);
    CHECK(bound <= 8);
}

TEST_CASE("a region's minor is no wider than the graph", "[minor_bound][property]") {
    std::size_t smaller = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g =
            support::chance(random, 60) ? support::any_undirected(random, 11) : support::glued_graph(random, 11);
        if (g.vertex_count() == 0) return;
        auto const least = support::small_treewidth(g);
        repebble::detail::bag_tree const tree(g, support::random_elimination(random, g.vertex_count()));
        for (auto const bag : tree.widest()) {
            RC_ASSERT(tree.made.bags[bag].size() == tree.made.width() + 1);
            repebble::detail::split_mix choices(random());
            repebble::detail::decomposition_region const region(g, tree, bag, 1 + support::below(random, 8), choices);
            auto const minor = region.minor();
            RC_ASSERT(minor.vertex_count() == region.vertices().size());
            RC_ASSERT(support::small_treewidth(minor) <= least);
            smaller += minor.vertex_count() < g.vertex_count() ? 1U : 0U;
        }
    }));
    CHECK(smaller > 10);
}

TEST_CASE("the bound from regions around the widest bags lies between the given one and the width of a partial k-tree",
          "[minor_bound][property]") {
    std::size_t raised = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const k = 2 + support::below(random, 4);
        auto const g = support::partial_k_tree(random, 45 + support::below(random, 60), k, 80);
        auto const order = find_elimination_order(g).order;
        auto const low = detail::degeneracy(g) / 2;
        auto const bound = detail::minor_bound(g, order, low, {.most_states = 20'000}, seed);
        RC_ASSERT(bound >= low);
        RC_ASSERT(bound <= k);
        RC_ASSERT(bound == detail::minor_bound(g, order, low, {.most_states = 20'000}, seed));
        raised += bound > low ? 1U : 0U;
    }));
    CHECK(raised > 10);
}

TEST_CASE("a region around one bag proves the width of a long grid", "[minor_bound]") {
    auto const g = support::grid(5, 100);
    elimination_order by_columns;
    for (std::uint32_t column = 0; column < 100; ++column)
        for (std::uint32_t row = 0; row < 5; ++row) by_columns.push_back(row * 100 + column);
    auto const low = find_contraction_bound(g);
    CHECK(low < 5);
    CHECK(detail::minor_bound(g, by_columns, low, {.most_states = 20'000}) == 5);
    CHECK(detail::minor_bound(g, by_columns, low, {.seconds = 0.0}) == low);
    elimination_order const none;
    CHECK(detail::minor_bound(undirected_graph(), none, 0) == 0);
    CHECK(support::throws<bad_graph>(
        [&] {
            return detail::minor_bound(g, {by_columns.begin(), 9}, low);
        },
        {"lacks vertex"}));
}

}  // namespace
