// Covers decomposition/elimination.hpp, decomposition/find_elimination_order.hpp, decomposition/undirected_graph.hpp,
// treewidth/detail/improve/make_minimal.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/decomposition/elimination.hpp>
#include <repebble/decomposition/find_elimination_order.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/treewidth/detail/improve/make_minimal.hpp>

#include "decomposition/undirected_graphs.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

namespace {

using namespace repebble;

using edge_set = std::set<undirected_graph::edge>;

auto fill_edges(undirected_graph const& g, elimination_order const& order) -> edge_set {
    support::eliminated_step_by_step slow(g);
    edge_set added;
    for (auto const v : order) {
        for (auto const& pair : slow.missing(v)) added.insert(pair);
        slow.eliminate(v);
    }
    return added;
}

auto with_edges(undirected_graph const& g, edge_set const& added) -> undirected_graph {
    std::vector<undirected_graph::edge> edges(added.begin(), added.end());
    for (std::uint32_t v = 0; v < g.vertex_count(); ++v)
        for (auto const w : g.neighbors(v)) edges.emplace_back(v, w);
    return {g.vertex_count(), edges};
}

/// Whether simplicial vertices can be removed until none is left: whether the graph is chordal.
auto is_chordal(undirected_graph const& g) -> bool {
    support::eliminated_step_by_step slow(g);
    std::set<std::uint32_t> left;
    for (std::uint32_t v = 0; v < g.vertex_count(); ++v) left.insert(v);
    while (!left.empty()) {
        auto const next = std::ranges::find_if(left, [&](auto v) { return slow.missing(v).empty(); });
        if (next == left.end()) return false;
        slow.eliminate(*next);
        left.erase(next);
    }
    return true;
}

TEST_CASE("a minimal order's fill is a subset of the given one, and no edge of it can be left out",
          "[make_minimal][property]") {
    std::size_t improved = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::random_undirected(random, 14, 10 + support::below(random, 40));
        auto const order = support::chance(random, 70) ? support::random_elimination(random, g.vertex_count())
                                                       : find_elimination_order(g).order;
        auto const minimal = detail::make_minimal(g, order);
        auto const before = fill_edges(g, order), after = fill_edges(g, minimal);
        RC_ASSERT(std::ranges::includes(before, after));
        RC_ASSERT(elimination::of(g, minimal).width <= elimination::of(g, order).width);
        for (auto const& edge : after) {
            auto fewer = after;
            fewer.erase(edge);
            RC_ASSERT(!is_chordal(with_edges(g, fewer)));
        }
        improved += after.size() < before.size() ? 1U : 0U;
    }));
    CHECK(improved > 5);
}

TEST_CASE("a large graph is made minimal from any order, and a second time nothing changes", "[make_minimal]") {
    auto const g = support::grid(20, 20);
    support::split_mix random(1);
    auto const order = support::random_elimination(random, g.vertex_count());
    auto const minimal = detail::make_minimal(g, order);
    auto const before = elimination::of(g, order), after = elimination::of(g, minimal);
    CHECK(after.width < before.width);
    CHECK(after.fill < before.fill);
    CHECK(elimination::of(g, detail::make_minimal(g, minimal)) == after);
    CHECK(detail::make_minimal(g, order) == minimal);
}

TEST_CASE("fill that minimum fill leaves in the parts of one large bag is removed, too", "[make_minimal]") {
    std::size_t improved = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        support::split_mix random(seed);
        auto const g = support::random_undirected(random, 80, 2);
        auto const order_of_g = find_elimination_order(g).order;
        improved += elimination::of(g, detail::make_minimal(g, order_of_g)).fill < elimination::of(g, order_of_g).fill
                        ? 1U
                        : 0U;
        auto const n = static_cast<std::uint32_t>(g.vertex_count());
        std::vector<undirected_graph::edge> edges;
        elimination_order order{n};  // the common neighbour first
        for (std::uint32_t v = 0; v < n; ++v) {
            edges.emplace_back(v, n);
            for (auto const w : g.neighbors(v)) edges.emplace_back(v, w);
            order.push_back(v);
        }
        undirected_graph const hub(n + std::size_t{1}, edges);
        auto const minimal = detail::make_minimal(hub, order);
        CHECK(elimination::of(hub, detail::make_minimal(hub, minimal)) == elimination::of(hub, minimal));
    }
    CHECK(improved > 0);
}

TEST_CASE("an order without fill on a tree stays without fill", "[make_minimal]") {
    undirected_graph const path(4, {{0, 1}, {1, 2}, {2, 3}});
    CHECK(elimination::of(path, detail::make_minimal(path, elimination_order{1, 2, 0, 3})) == elimination{1, 0});
    CHECK(detail::make_minimal(undirected_graph(), elimination_order{}).empty());
    CHECK(detail::make_minimal(undirected_graph(2, {}), elimination_order{1, 0}).size() == 2);
    CHECK_THROWS_AS(detail::make_minimal(path, elimination_order{1, 2, 0}), bad_graph);
}

}  // namespace
