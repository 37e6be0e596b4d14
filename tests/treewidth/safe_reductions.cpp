// Covers decomposition/elimination.hpp, decomposition/find_elimination_order.hpp, decomposition/undirected_graph.hpp,
// treewidth/detail/exact/safe_reductions.hpp, treewidth/width_bounds.hpp.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <rapidcheck.h>

#include <repebble/decomposition/elimination.hpp>
#include <repebble/decomposition/find_elimination_order.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/treewidth/detail/exact/safe_reductions.hpp>
#include <repebble/treewidth/width_bounds.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"
#include "treewidth/small_treewidth.hpp"

namespace {

using namespace repebble;

/// The eliminated vertices, then the kernel in an order of minimum fill.
auto order_through_kernel(detail::reduced_graph const& reduced) -> elimination_order {
    auto order = reduced.eliminated;
    for (auto const v : find_elimination_order(reduced.kernel).order) order.push_back(reduced.names[v]);
    return order;
}

TEST_CASE("reductions keep the treewidth, and the width of any order of the kernel", "[safe_reductions][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g =
            support::chance(random, 50) ? support::any_undirected(random, 10) : support::glued_graph(random, 10);
        auto const treewidth = support::small_treewidth(g);
        for (auto const low : {std::size_t{0}, find_contraction_bound(g), treewidth}) {
            auto const reduced = detail::reduce_safely(g, low);
            RC_ASSERT(reduced.eliminated.size() + reduced.names.size() == g.vertex_count());
            RC_ASSERT(low <= reduced.low);
            RC_ASSERT(treewidth == std::max(reduced.low, support::small_treewidth(reduced.kernel)));
            RC_ASSERT(elimination::of(g, order_through_kernel(reduced)).width <=
                      std::max(reduced.low, find_elimination_order(reduced.kernel).width));
        }
    }));
}

TEST_CASE("no rule applies to the kernel, and no elimination is wider than the bound", "[safe_reductions][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::partial_k_tree(random, 60, 1 + support::below(random, 8), 70);
        auto const reduced = detail::reduce_safely(g);
        auto const& kernel = reduced.kernel;
        for (std::size_t v = 0; v < kernel.vertex_count(); ++v) {
            RC_ASSERT(kernel.degree(v) >= 3U);
            auto const all = kernel.neighbors(v);
            std::size_t missing = 0, most = 0;
            for (auto const a : all) {
                auto const lacks = static_cast<std::size_t>(std::ranges::count_if(
                    all, [&](auto b) { return a != b && !std::ranges::binary_search(kernel.neighbors(a), b); }));
                missing += lacks;
                most = std::max(most, lacks);
            }
            RC_ASSERT(kernel.degree(v) > reduced.low || missing != 2 * most);
        }
        auto const order = order_through_kernel(reduced);
        repebble::detail::elimination_counts const all(g, order);
        for (std::size_t k = 0; k < reduced.eliminated.size(); ++k) RC_ASSERT(all.counts()[k] <= reduced.low);
        RC_ASSERT(reduced == detail::reduce_safely(g));
    }));
}

TEST_CASE("a k-tree is reduced to nothing, and its treewidth is known", "[safe_reductions]") {
    support::split_mix random(1);
    for (std::size_t k = 1; k < 9; ++k) {
        auto const reduced = detail::reduce_safely(support::partial_k_tree(random, 300, k, 100));
        CHECK(reduced.kernel.vertex_count() == 0);
        CHECK(reduced.low == k);
    }
    CHECK(detail::reduce_safely(undirected_graph()) == detail::reduced_graph{});
}

TEST_CASE("buddies and cubes of degree 3 are reduced", "[safe_reductions]") {
    undirected_graph const buddies(6, {{0, 3}, {0, 4}, {0, 5}, {1, 3}, {1, 4}, {1, 5}, {2, 3}, {2, 4}, {2, 5}});
    CHECK(detail::reduce_safely(buddies).kernel.vertex_count() == 0);
    CHECK(detail::reduce_safely(buddies).low == 3);
    undirected_graph const cube(
        8, {{0, 1}, {0, 2}, {0, 3}, {1, 4}, {1, 5}, {2, 4}, {2, 6}, {3, 5}, {3, 6}, {4, 7}, {5, 7}, {6, 7}});
    CHECK(detail::reduce_safely(cube).kernel.vertex_count() == 0);
    CHECK(detail::reduce_safely(cube).low == 3);
}

auto hubs_and_leaves(std::uint32_t hubs, std::uint32_t leaves) -> undirected_graph {
    std::vector<undirected_graph::edge> edges;
    for (std::uint32_t u = 0; u < hubs; ++u)
        for (std::uint32_t v = 0; v < leaves; ++v) edges.emplace_back(u, hubs + v);
    return {hubs + leaves, edges};
}

/// A few vertices, and many common leaves for some sets of up to three of them.
struct shared_leaves {
    undirected_graph graph{};
    undirected_graph core{};  ///< each set a clique, which the leaves make it in a minor
    std::size_t largest_set = 0;
};

auto any_shared_leaves(support::split_mix& random) -> shared_leaves {
    auto const core = 3 + static_cast<std::uint32_t>(support::below(random, 6));
    std::vector<undirected_graph::edge> all;
    for (std::uint32_t u = 0; u < core; ++u)
        for (std::uint32_t v = 0; v < u; ++v)
            if (support::chance(random, 30)) all.emplace_back(u, v);
    auto in_core = all;
    auto next = core;
    std::size_t largest = 0;
    for (auto sets = 1 + support::below(random, 5); sets > 0; --sets) {
        auto const one = static_cast<std::uint32_t>(support::below(random, core));
        std::array const set{one, (one + 1) % core, (one + 2) % core};
        auto const size = 1 + support::below(random, 3);
        largest = std::max(largest, size);
        for (auto leaves = 10 + support::below(random, 90); leaves > 0; --leaves, ++next)
            for (std::size_t k = 0; k < size; ++k) all.emplace_back(set[k], next);
        for (std::size_t k = 0; k < size; ++k)
            for (std::size_t i = 0; i < k; ++i) in_core.emplace_back(set[k], set[i]);
    }
    return {{next, all}, {core, in_core}, largest};
}

TEST_CASE("a graph of hubs that share many neighbours is reduced to the hubs, and keeps its treewidth",
          "[safe_reductions][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const all = any_shared_leaves(random);
        auto const treewidth = std::max(all.largest_set, support::small_treewidth(all.core));
        auto const bound = find_contraction_bound(all.graph);
        RC_ASSERT(bound <= treewidth);
        for (auto const low : {std::size_t{0}, bound, treewidth}) {
            auto const reduced = detail::reduce_safely(all.graph, low);
            RC_ASSERT(reduced.kernel.vertex_count() <= all.core.vertex_count());
            RC_ASSERT(treewidth == std::max(reduced.low, support::small_treewidth(reduced.kernel)));
            RC_ASSERT(elimination::of(all.graph, order_through_kernel(reduced)).width <=
                      std::max(reduced.low, find_elimination_order(reduced.kernel).width));
        }
    }));
}

TEST_CASE("two or three hubs with the same neighbours are reduced to nothing", "[safe_reductions]") {
    for (std::uint32_t hubs = 2; hubs < 4; ++hubs)
        for (std::uint32_t const leaves : {3U, 9U, 63U, 64U, 65U, 1000U}) {
            auto const g = hubs_and_leaves(hubs, leaves);
            auto const reduced = detail::reduce_safely(g);
            CHECK(reduced.kernel.vertex_count() == 0);
            CHECK(reduced.low == hubs);
            CHECK(elimination::of(g, reduced.eliminated).width == hubs);
            if (leaves < 10) CHECK(support::small_treewidth(g) == hubs);
        }
}

TEST_CASE("Petersen's graph and the middle of a grid are irreducible", "[safe_reductions]") {
    CHECK(detail::reduce_safely(support::petersen()).kernel == support::petersen());
    CHECK(detail::reduce_safely(support::grid(6, 6)).kernel.vertex_count() >= 16);
    CHECK(detail::reduce_safely(support::grid(3, 3)).kernel.vertex_count() == 0);
}

}  // namespace
