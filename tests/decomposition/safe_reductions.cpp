#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <rapidcheck.h>

#include <repebble/decomposition/elimination.hpp>
#include <repebble/decomposition/greedy_elimination.hpp>
#include <repebble/decomposition/safe_reductions.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/decomposition/width_bounds.hpp>

#include "decomposition/small_treewidth.hpp"
#include "support/catch.hpp"

namespace {

using namespace repebble;

/// What was eliminated, and then the kernel in an order of minimum fill.
auto order_through_kernel(reduced_graph const& reduced) -> elimination_order {
    auto order = reduced.eliminated;
    for (auto const v : min_fill(reduced.kernel).order) order.push_back(reduced.names[v]);
    return order;
}

TEST_CASE("reductions keep the treewidth, and the width of any order of the kernel", "[safe_reductions][property]") {
    CHECK(rc::check([](std::uint64_t seed) {
        support::random_source random(seed);
        auto const g =
            support::chance(random, 50) ? support::any_undirected(random, 10) : support::glued_graph(random, 10);
        auto const treewidth = support::small_treewidth(g);
        for (auto const low : {std::size_t{0}, contraction_bound(g), treewidth}) {
            auto const reduced = reduce_safely(g, low);
            RC_ASSERT(reduced.eliminated.size() + reduced.names.size() == g.vertex_count());
            RC_ASSERT(low <= reduced.low);
            RC_ASSERT(treewidth == std::max(reduced.low, support::small_treewidth(reduced.kernel)));
            RC_ASSERT(eliminate(g, order_through_kernel(reduced)).width <=
                      std::max(reduced.low, min_fill(reduced.kernel).width));
        }
    }));
}

TEST_CASE("what can be reduced is not in the kernel, and no step was wider than is known",
          "[safe_reductions][property]") {
    CHECK(rc::check([](std::uint64_t seed) {
        support::random_source random(seed);
        auto const g = support::partial_k_tree(random, 60, 1 + support::below(random, 8), 70);
        auto const reduced = reduce_safely(g);
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
        RC_ASSERT(reduced == reduce_safely(g));
    }));
}

TEST_CASE("a whole k-tree is reduced to nothing, and its treewidth is known", "[safe_reductions]") {
    support::random_source random(1);
    for (std::size_t k = 1; k < 9; ++k) {
        auto const reduced = reduce_safely(support::partial_k_tree(random, 300, k, 100));
        CHECK(reduced.kernel.vertex_count() == 0);
        CHECK(reduced.low == k);
    }
    CHECK(reduce_safely(undirected_graph()) == reduced_graph{});
}

TEST_CASE("buddies and cubes of degree 3 are reduced", "[safe_reductions]") {
    undirected_graph const buddies(6, {{0, 3}, {0, 4}, {0, 5}, {1, 3}, {1, 4}, {1, 5}, {2, 3}, {2, 4}, {2, 5}});
    CHECK(reduce_safely(buddies).kernel.vertex_count() == 0);
    CHECK(reduce_safely(buddies).low == 3);
    undirected_graph const cube(
        8, {{0, 1}, {0, 2}, {0, 3}, {1, 4}, {1, 5}, {2, 4}, {2, 6}, {3, 5}, {3, 6}, {4, 7}, {5, 7}, {6, 7}});
    CHECK(reduce_safely(cube).kernel.vertex_count() == 0);
    CHECK(reduce_safely(cube).low == 3);
}

TEST_CASE("nothing of Petersen's graph and of a grid's middle can be reduced", "[safe_reductions]") {
    CHECK(reduce_safely(support::petersen()).kernel == support::petersen());
    CHECK(reduce_safely(support::grid(6, 6)).kernel.vertex_count() >= 16);
    CHECK(reduce_safely(support::grid(3, 3)).kernel.vertex_count() == 0);
}

}  // namespace
