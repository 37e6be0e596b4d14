// Covers detail/maximum_flow/push_relabel.hpp, detail/maximum_flow/residual_network.hpp.
// The preflow that push_relabel leaves, against the least cut and against augmenting paths.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <rapidcheck.h>

#include <repebble/detail/maximum_flow/push_relabel.hpp>
#include <repebble/detail/never_stop.hpp>
#include <repebble/detail/maximum_flow/residual_network.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

using repebble::detail::push_relabel;
using repebble::detail::residual_network;

namespace {

using arcs = std::vector<residual_network::new_arc>;

/// Fills all arcs of the source and runs.
auto maximum_preflow(std::size_t nodes, arcs const& of,
                     repebble::detail::stop_test stop = repebble::detail::never_stop{}) -> residual_network {
    residual_network net{.source = 0, .sink = static_cast<std::uint32_t>(nodes - 1)};
    static_cast<void>(net.assign(nodes, of));
    for (auto e = net.start[0]; e < net.start[1]; ++e)
        if (net.to[e] != 0 && net.residual[e] > 0) net.push(0, e, net.residual[e]);
    push_relabel(net).run(stop);
    return net;
}

/// The least capacity of all cuts between the first and the last node, by enumeration.
auto least_cut(std::size_t nodes, arcs const& of) -> std::int64_t {
    auto least = std::numeric_limits<std::int64_t>::max();
    for (std::uint32_t side = 1; side < (1U << (nodes - 1)); side += 2) {
        std::int64_t all = 0;
        for (auto const& a : of)
            if ((side >> a.from & 1U) == 1 && (side >> a.to & 1U) == 0) all += a.capacity;
        least = std::min(least, all);
    }
    return least;
}

/// The value of a maximum flow by augmenting paths of one unit (Ford, Fulkerson 1956) over a matrix.
auto by_paths(std::size_t nodes, arcs const& of) -> std::int64_t {
    std::vector<std::vector<std::int64_t>> left(nodes, std::vector<std::int64_t>(nodes, 0));
    for (auto const& a : of) left[a.from][a.to] += a.capacity;
    for (std::int64_t value = 0;; ++value) {
        std::vector<std::size_t> from(nodes, nodes), queue{0};
        from[0] = 0;
        for (std::size_t head = 0; head < queue.size(); ++head)
            for (std::size_t v = 0; v < nodes; ++v)
                if (from[v] == nodes && left[queue[head]][v] > 0) {
                    from[v] = queue[head];
                    queue.push_back(v);
                }
        if (from[nodes - 1] == nodes) return value;
        for (auto v = nodes - 1; v != 0; v = from[v]) {
            --left[from[v]][v];
            ++left[v][from[v]];
        }
    }
}

/// Whether no arc carries more than its capacity, each inner node keeps what it does not pass on, and none with excess
/// can reach the sink.
auto is_maximum_preflow(residual_network const& net, std::size_t nodes, arcs const& of) -> bool {
    residual_network fresh{.source = net.source, .sink = net.sink};
    static_cast<void>(fresh.assign(nodes, of));
    std::vector<std::int64_t> kept(nodes, 0);
    for (residual_network::node v = 0; v < nodes; ++v)
        for (auto e = net.start[v]; e < net.start[v + 1]; ++e) {
            if (net.residual[e] < 0) return false;
            if (fresh.residual[e] > net.residual[e]) {  // so much flows from v
                kept[v] -= fresh.residual[e] - net.residual[e];
                kept[net.to[e]] += fresh.residual[e] - net.residual[e];
            }
        }
    std::vector<residual_network::node> active;
    for (residual_network::node v = 1; v < nodes; ++v) {
        if (kept[v] < 0 || kept[v] != net.excess[v]) return false;
        if (v != net.sink && kept[v] > 0) active.push_back(v);
    }
    auto const reached = net.reached_from(active, [&](auto e) { return net.residual[e] > 0; });
    return !reached[net.sink];
}

auto random_arcs(support::split_mix& random, std::size_t nodes, std::size_t percent) -> arcs {
    arcs made;
    for (std::uint32_t u = 0; u < nodes; ++u)
        for (std::uint32_t v = 0; v < nodes; ++v)
            if (u != v && support::chance(random, percent)) made.push_back({u, v, support::between(random, 0, 9)});
    return made;
}

}  // namespace

TEST_CASE("push_relabel: excess that the sink cannot take stays where it is", "[maximum_flow]") {
    // 0 -> 1 -> {2, 3} -> 4, and node 3 leads to 5 as well, which ends there. The sink gets 4 + 3 of the 20.
    arcs const of{{0, 1, 20}, {1, 2, 6}, {1, 3, 5}, {2, 4, 4}, {3, 4, 3}, {3, 5, 9}, {4, 6, 100}};
    auto const net = maximum_preflow(7, of);
    CHECK(net.excess[6] == 7);
    CHECK(net.excess[4] == 0);
    CHECK(net.excess[1] + net.excess[2] + net.excess[3] + net.excess[5] == 13);
    CHECK(is_maximum_preflow(net, 7, of));
}

TEST_CASE("push_relabel: flow is taken back over an arc that another path needs", "[maximum_flow]") {
    // Both units that go 0 -> 1 -> 2 -> 3 block 1 -> 3 and 0 -> 2 unless one is sent back.
    arcs const of{{0, 1, 1}, {0, 2, 1}, {1, 2, 1}, {1, 3, 1}, {2, 3, 1}};
    CHECK(maximum_preflow(4, of).excess[3] == 2);
    CHECK(maximum_preflow(2, {}).excess[1] == 0);
}

TEST_CASE("push_relabel: the flow is the least of all cuts", "[maximum_flow][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const nodes = 2 + support::below(random, 7);
        auto const of = random_arcs(random, nodes, support::below(random, 101));
        auto const net = maximum_preflow(nodes, of);
        RC_ASSERT(net.excess[net.sink] == least_cut(nodes, of));
        RC_ASSERT(is_maximum_preflow(net, nodes, of));
    }));
}

TEST_CASE("push_relabel: in sparse networks, where gaps open, the flow is that of augmenting paths",
          "[maximum_flow][property]") {
    std::size_t positive = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const nodes = 10 + support::below(random, 30);
        auto const of = random_arcs(random, nodes, 3 + support::below(random, 12));
        auto const net = maximum_preflow(nodes, of);
        RC_ASSERT(net.excess[net.sink] == by_paths(nodes, of));
        RC_ASSERT(is_maximum_preflow(net, nodes, of));
        positive += net.excess[net.sink] > 0 ? 1U : 0U;
    }));
    CHECK(positive > 5);
}

TEST_CASE("a flow that is stopped at once is the empty one", "[maximum_flow]") {
    CHECK(maximum_preflow(3, {{0, 1, 5}, {1, 2, 4}}).excess[2] == 4);
    CHECK(maximum_preflow(3, {{0, 1, 5}, {1, 2, 4}}, [] { return true; }).excess[2] == 0);
}
