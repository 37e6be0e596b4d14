// Covers decomposition/find_elimination_order.hpp, decomposition/undirected_graph.hpp,
// treewidth/detail/graphs/graph_with_hubs.hpp, treewidth/width_bounds.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include <rapidcheck.h>

#include <repebble/decomposition/find_elimination_order.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/treewidth/detail/graphs/graph_with_hubs.hpp>
#include <repebble/treewidth/width_bounds.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"
#include "treewidth/small_treewidth.hpp"

namespace {

using namespace repebble;

auto complete(std::uint32_t n) -> undirected_graph {
    std::vector<undirected_graph::edge> edges;
    for (std::uint32_t u = 0; u < n; ++u)
        for (std::uint32_t v = 0; v < u; ++v) edges.emplace_back(u, v);
    return {n, edges};
}

/// Degeneracy by the definition: removes vertices of least degree until none is left.
auto degeneracy_by_definition(undirected_graph const& g) -> std::size_t {
    std::vector<std::uint32_t> left(g.vertex_count());
    for (std::uint32_t v = 0; v < left.size(); ++v) left[v] = v;
    std::size_t most = 0;
    while (!left.empty()) {
        auto const degree = [&](std::uint32_t v) {
            return std::ranges::count_if(g.neighbors(v),
                                         [&](auto w) { return std::ranges::find(left, w) != left.end(); });
        };
        auto const least = std::ranges::min_element(left, {}, degree);
        most = std::max(most, static_cast<std::size_t>(degree(*least)));
        left.erase(least);
    }
    return most;
}

TEST_CASE("degeneracy is the largest minimum degree while vertices are removed", "[width_bounds][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::any_undirected(random, 40);
        RC_ASSERT(detail::degeneracy(g) == degeneracy_by_definition(g));
    }));
}

TEST_CASE("lower bounds are not above the treewidth, and contraction is not below degeneracy",
          "[width_bounds][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::any_undirected(random, 10);
        auto const treewidth = support::small_treewidth(g);
        RC_ASSERT(detail::degeneracy(g) <= find_contraction_bound(g));
        RC_ASSERT(find_contraction_bound(g) <= find_contraction_bound(g, 3));
        RC_ASSERT(find_contraction_bound(g, 3) <= treewidth);
    }));
}

TEST_CASE("lower bounds are not above a width, in lists and in a matrix", "[width_bounds][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::any_undirected(random, 150);
        RC_ASSERT(find_contraction_bound(g, 2) <= find_elimination_order(g).width);
    }));
}

TEST_CASE("no bound of a partial k-tree is above k, and that of a k-tree is k", "[width_bounds][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const k = 1 + support::below(random, 5);
        RC_ASSERT(find_contraction_bound(support::partial_k_tree(random, 200, k, 80)) <= k);
        RC_ASSERT(find_contraction_bound(support::partial_k_tree(random, 200, k, 100)) == k);
    }));
}

TEST_CASE("contraction finds the treewidth of complete graphs and of Petersen's, and more than degeneracy in grids",
          "[width_bounds]") {
    CHECK(find_contraction_bound(undirected_graph()) == 0);
    CHECK(detail::degeneracy(undirected_graph()) == 0);
    CHECK(find_contraction_bound(undirected_graph(3, {})) == 0);
    CHECK(find_contraction_bound(complete(70)) == 69);
    CHECK(detail::degeneracy(complete(70)) == 69);
    CHECK(detail::degeneracy(support::petersen()) == 3);
    CHECK(find_contraction_bound(support::petersen()) == 4);
    CHECK(detail::degeneracy(support::grid(30, 30)) == 2);
    CHECK(find_contraction_bound(support::grid(30, 30)) >= 4);  // no minor of a planar graph has more than 5
    CHECK(find_contraction_bound(support::grid(30, 30)) == find_contraction_bound(support::grid(30, 30)));
}

TEST_CASE("a hub of many leaves and triangles is contracted in little time", "[width_bounds]") {
    std::vector<undirected_graph::edge> edges;
    for (std::uint32_t leaf = 1; leaf < 200'000; ++leaf) {
        edges.emplace_back(0, leaf);
        if (leaf % 2 == 0) edges.emplace_back(leaf - 1, leaf);
    }
    CHECK(find_contraction_bound(undirected_graph(200'000, edges)) == 2);
}

TEST_CASE("two or three hubs with the same neighbours are contracted to their number", "[width_bounds]") {
    for (std::uint32_t hubs = 2; hubs < 4; ++hubs)
        for (std::uint32_t const leaves : {3U, 8U, 63U, 64U, 65U, 20'000U}) {
            std::vector<undirected_graph::edge> edges;
            for (std::uint32_t leaf = 0; leaf < leaves; ++leaf)
                for (std::uint32_t hub = 0; hub < hubs; ++hub) edges.emplace_back(hub, hubs + leaf);
            undirected_graph const g(hubs + leaves, edges);
            CHECK(find_contraction_bound(g) == hubs);
            if (leaves < 9) CHECK(support::small_treewidth(g) == hubs);
        }
}

TEST_CASE("adjacency stays correct while vertices become hubs and cease to be", "[width_bounds][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const n = static_cast<std::uint32_t>(2 + support::below(random, 180));
        auto const any = [&] { return static_cast<std::uint32_t>(support::below(random, n)); };
        std::vector<std::set<std::uint32_t>> expected(n);
        std::vector<undirected_graph::edge> edges;
        for (auto k = support::below(random, n * 15); k > 0; --k) edges.emplace_back(any(), any());
        undirected_graph const g(n, edges);
        for (std::uint32_t v = 0; v < n; ++v) expected[v] = {g.neighbors(v).begin(), g.neighbors(v).end()};
        repebble::detail::graph_with_hubs tested(g);
        auto const percent = support::below(random, 10);
        for (std::size_t step = 0; step < 400; ++step) {
            auto const v = any();
            if (tested.is_removed(v)) continue;
            if (support::chance(random, percent)) {
                tested.remove(v);
                for (auto const w : expected[v]) expected[w].erase(v);
                continue;
            }
            std::set<std::uint32_t> chosen;
            for (auto k = 1 + support::below(random, 40); k > 0; --k)
                if (auto const w = any(); !tested.is_removed(w)) chosen.insert(w);
            std::vector<std::uint32_t> all(chosen.begin(), chosen.end());
            std::ranges::stable_partition(all, [&](auto w) { return !tested.is_hub(w); });
            if (!all.empty() && support::chance(random, 50))
                tested.count_among(all, [&](std::size_t k, std::size_t count) {
                    RC_ASSERT(static_cast<std::size_t>(std::ranges::count_if(
                                  all, [&](auto w) { return expected[all[k]].contains(w); })) == count);
                    return true;
                });
            for (auto const w : all) RC_ASSERT(w == v || tested.are_neighbors(v, w) == expected[v].contains(w));
            tested.connect_all(v, all);
            for (auto const w : all)
                if (w != v) {
                    expected[v].insert(w);
                    expected[w].insert(v);
                }
            RC_ASSERT(tested.degree(v) == expected[v].size());
        }
    }));
}

}  // namespace
