// Covers graph/adapt/nested_range.hpp, graph/topological_order.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <tuple>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/topological_order.hpp>

#include "support/archetypes.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"
#include "support/throws.hpp"

using namespace repebble;
using support::adjacency;
using support::throws;

namespace {

template <class F>
void for_each_order(F&& f) {
    for (auto const rule : {order_rule::by_index, order_rule::soonest, order_rule::latest, order_rule::depth_first})
        f([rule](auto const& g) { return topological_order(g, rule); });
}

auto is_in_topological_order(adjacency const& g, std::vector<int> const& order) -> bool {
    std::vector<std::size_t> position(g.size(), g.size());
    for (std::size_t i = 0; i < order.size(); ++i) position[static_cast<std::size_t>(order[i])] = i;
    for (std::size_t u = 0; u < g.size(); ++u)
        for (int const v : g[u])
            if (position[u] >= position[static_cast<std::size_t>(v)]) return false;
    return order.size() == g.size() && std::ranges::count(position, g.size()) == 0;
}

constexpr auto orders_at_compile_time() -> bool {
    std::vector<std::vector<int>> g(3);
    g[2].push_back(0);
    g[0].push_back(1);
    for (auto const& order : {topological_order(g), topological_order(g, order_rule::soonest),
                              topological_order(g, order_rule::latest), topological_order(g, order_rule::depth_first)})
        if (order[0] != 2 || order[1] != 0 || order[2] != 1) return false;
    return true;
}
static_assert(orders_at_compile_time());

}  // namespace

TEST_CASE("all orders are topological, and the same every time", "[topological_order][property]") {
    for_each_order([](auto const& order) {
        CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
            support::split_mix random(seed);
            for (auto const& g : {support::any_dag(random, 30), support::series_parallel(random, 20)}) {
                RC_ASSERT(is_in_topological_order(g, order(g)));
                RC_ASSERT(order(g) == order(g));
                std::vector<int> named;
                for (auto const v : order(support::least_graph(g))) named.push_back(v.id() - 100);
                RC_ASSERT(named == order(g));
            }
        }));
    });
}

TEST_CASE("asap is level by level from the sources, alap from the sinks", "[topological_order][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::any_dag(random, 20);
        std::vector<int> above(g.size(), 0), below(g.size(), 0);  // longest path to, and from, every vertex
        auto const order = topological_order(g);
        for (int const u : order)
            for (int const v : successors(g, u))
                above[static_cast<std::size_t>(v)] =
                    std::max(above[static_cast<std::size_t>(v)], above[static_cast<std::size_t>(u)] + 1);
        for (int const u : order | std::views::reverse)
            for (int const v : successors(g, u))
                below[static_cast<std::size_t>(u)] =
                    std::max(below[static_cast<std::size_t>(u)], below[static_cast<std::size_t>(v)] + 1);
        auto const by_level = [&](auto const& key) {
            auto sorted = order;
            std::ranges::sort(sorted, {}, [&](int v) { return std::pair(key(static_cast<std::size_t>(v)), v); });
            return sorted;
        };
        RC_ASSERT(topological_order(g, order_rule::soonest) == by_level([&](std::size_t v) { return above[v]; }));
        RC_ASSERT(topological_order(g, order_rule::latest) == by_level([&](std::size_t v) { return -below[v]; }));
    }));
}

TEST_CASE("two branches and a late source, in every order", "[topological_order]") {
    // 0 -> 1 -> 2 -> 5, 0 -> 3 -> 4 -> 5, 6 -> 5
    adjacency const g{{1, 3}, {2}, {5}, {4}, {5}, {}, {5}};
    CHECK(topological_order(g) == std::vector{0, 1, 2, 3, 4, 6, 5});
    CHECK(topological_order(g, order_rule::soonest) == std::vector{0, 6, 1, 3, 2, 4, 5});
    CHECK(topological_order(g, order_rule::latest) == std::vector{0, 1, 3, 2, 4, 6, 5});
    CHECK(topological_order(g, order_rule::depth_first) == std::vector{0, 1, 2, 3, 4, 6, 5});
    // The branches with their vertices interleaved: only depth first keeps them together.
    adjacency const interleaved{{1, 2}, {3}, {4}, {5}, {5}, {}};
    CHECK(topological_order(interleaved) == std::vector{0, 1, 2, 3, 4, 5});
    CHECK(topological_order(interleaved, order_rule::depth_first) == std::vector{0, 1, 3, 2, 4, 5});
}

TEST_CASE("the index order itself where it is topological", "[topological_order][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::random_dag(random, support::below(random, 20), 30);
        RC_ASSERT(std::ranges::is_sorted(topological_order(g)));
    }));
}

TEST_CASE("a cycle is an error that names a vertex of it, or next to it", "[topological_order]") {
    adjacency const tail_in_and_out{{1}, {2}, {1, 3}, {}};  // 0 -> 1 <-> 2 -> 3
    CHECK(throws<not_a_dag>([&] { return topological_order(tail_in_and_out); }, {"through or before vertex 1"}));
    CHECK(throws<not_a_dag>([&] { return topological_order(tail_in_and_out, order_rule::soonest); },
                            {"through or before vertex 1"}));
    CHECK(throws<not_a_dag>([&] { return topological_order(tail_in_and_out, order_rule::latest); },
                            {"through or after vertex 0"}));
    CHECK(throws<not_a_dag>([&] { return topological_order(tail_in_and_out, order_rule::depth_first); },
                            {"through vertex 1"}));
    for_each_order([](auto const& order) {
        CHECK_THROWS_AS(order(adjacency{{0}}), not_a_dag);
        CHECK_THROWS_AS(order(adjacency{{1}, {2}, {0}}), not_a_dag);
        CHECK_THROWS_AS(order(adjacency{{1}, {}, {2}}), not_a_dag);
    });
}

TEST_CASE("an edge that is listed twice changes nothing", "[topological_order]") {
    for_each_order([](auto const& order) { CHECK(order(adjacency{{}, {0, 0}, {1, 0, 1}}) == std::vector{2, 1, 0}); });
}

TEST_CASE("indices that are not dense are an error", "[topological_order]") {
    CHECK(throws<bad_graph>([] { return topological_order(adjacency{{1}, {7}}); }, {"vertex 1", "7"}));
}

TEST_CASE("a chain of a million vertices needs no deep stack", "[topological_order][long]") {
    constexpr csr_graph::vertex n = 1'000'000;
    std::vector<csr_graph::edge> edges;
    for (csr_graph::vertex v = 1; v < n; ++v) edges.emplace_back(v - 1, v);
    csr_graph const path(n, edges);
    for_each_order([&](auto const& order) { CHECK(std::ranges::is_sorted(order(path))); });
}
