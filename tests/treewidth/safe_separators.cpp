// Covers decomposition/elimination.hpp, decomposition/find_elimination_order.hpp, decomposition/undirected_graph.hpp,
// treewidth/detail/exact/join_orders.hpp, treewidth/detail/exact/safe_separators.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <rapidcheck.h>

#include <repebble/decomposition/elimination.hpp>
#include <repebble/decomposition/find_elimination_order.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/treewidth/detail/exact/join_orders.hpp>
#include <repebble/treewidth/detail/exact/safe_separators.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"
#include "treewidth/small_treewidth.hpp"

namespace {

using namespace repebble;

/// Whether the vertices outside the set have more than one component.
auto separates(undirected_graph const& g, std::uint32_t set) -> bool {
    auto const all = (1U << g.vertex_count()) - 1;
    auto const rest = all & ~set;
    auto seen = rest & (~rest + 1);
    for (auto before = std::uint32_t{0}; before != seen;) {
        before = seen;
        for (std::uint32_t v = 0; v < g.vertex_count(); ++v)
            if ((seen >> v & 1U) != 0)
                for (auto const w : g.neighbors(v)) seen |= rest & 1U << w;
    }
    return seen != rest;
}

/// The number of edges missing between vertices of the set, those of one vertex excepted.
auto is_clique_without(undirected_graph const& g, std::uint32_t set, std::uint32_t one) -> bool {
    for (std::uint32_t a = 0; a < g.vertex_count(); ++a)
        for (std::uint32_t b = 0; b < a; ++b)
            if (a != one && b != one && (set >> a & 1U) != 0 && (set >> b & 1U) != 0 &&
                !std::ranges::binary_search(g.neighbors(a), b))
                return false;
    return true;
}

TEST_CASE("the treewidth is the largest of the parts", "[safe_separators][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g =
            support::chance(random, 40) ? support::any_undirected(random, 10) : support::glued_graph(random, 10);
        std::size_t widest = 0;
        for (auto const& atom : detail::split_safely(g))
            widest = std::max(widest, support::small_treewidth(atom.graph));
        RC_ASSERT(widest == support::small_treewidth(g));
    }));
}

TEST_CASE("no clique separates a part, nor a clique and one vertex", "[safe_separators][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::glued_graph(random, 9);
        for (auto const& atom : detail::split_safely(g))
            for (std::uint32_t set = 0; set < 1U << atom.graph.vertex_count(); ++set)
                if (separates(atom.graph, set))
                    for (std::uint32_t v = 0; v < atom.graph.vertex_count(); ++v)
                        RC_ASSERT(!is_clique_without(atom.graph, set, v));
        for (auto const& atom : detail::split_safely(g, 0))
            for (std::uint32_t set = 0; set < 1U << atom.graph.vertex_count(); ++set)
                if (separates(atom.graph, set)) RC_ASSERT(!is_clique_without(atom.graph, set, 99));
    }));
}

TEST_CASE("orders of the parts make one of the whole, as wide as the widest", "[join_orders][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g =
            support::chance(random, 50) ? support::glued_graph(random, 60) : support::partial_k_tree(random, 60, 3, 80);
        auto const atoms = detail::split_safely(g, support::chance(random, 50) ? 0 : 300'000'000);
        std::vector<elimination_order> orders;
        std::size_t widest = 0;
        for (auto const& atom : atoms) {
            auto const n = atom.graph.vertex_count();
            auto const shuffled = support::random_permutation(random, n);
            orders.emplace_back(shuffled.begin(), shuffled.end());
            widest = std::max(widest, elimination::of(atom.graph, orders.back()).width);
        }
        RC_ASSERT(elimination::of(g, detail::join_orders(g.vertex_count(), atoms, orders)).width <= widest);
    }));
}

TEST_CASE("a graph splits at the empty separator, a vertex, an edge, and two vertices without an edge",
          "[safe_separators]") {
    CHECK(detail::split_safely(undirected_graph()).empty());
    CHECK(detail::split_safely(undirected_graph(3, {})).size() == 3);
    CHECK(detail::split_safely(undirected_graph(5, {{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 4}, {4, 2}})).size() == 2);
    CHECK(detail::split_safely(undirected_graph(4, {{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 1}})).size() == 2);
    undirected_graph const square(4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}});
    CHECK(detail::split_safely(square, 0) == std::vector<detail::graph_atom>{{square, {0, 1, 2, 3}}});
    CHECK(detail::split_safely(square).size() == 2);
    CHECK(detail::split_safely(support::petersen()).size() == 1);
}

}  // namespace
