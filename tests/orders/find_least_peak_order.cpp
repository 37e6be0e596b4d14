// Covers orders/find_least_peak_order.hpp, orders/detail/liu_order.hpp, orders/one_shot_order.hpp, graph/limits.hpp,
// pebbling/detail/schedule_in_order.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <vector>

#include <rapidcheck.h>
#include <nlohmann/json.hpp>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/orders/detail/liu_order.hpp>
#include <repebble/orders/find_least_peak_order.hpp>
#include <repebble/pebbling/detail/schedule_in_order.hpp>
#include <repebble/pebbling/replay.hpp>

#include "support/brute_order.hpp"
#include "support/catch.hpp"
#include "support/folders.hpp"
#include "support/generators.hpp"
#include "support/one_shot_orders.hpp"
#include "support/property.hpp"
#include "support/random_full_dataflow.hpp"

using namespace repebble;
using support::all_orders_peak;
using support::holds;
using support::one_shot_flow;
using support::split_mix;

namespace {

auto unit_case(support::adjacency graph) -> support::one_shot_case {
    auto const n = graph.size();
    return {std::move(graph), std::vector<bytes>(n, 1), std::vector<bytes>(n, 0), std::vector<char>(n, 0)};
}

/// Each vertex flows into a later one, or into none.
auto random_forest(split_mix& random, std::size_t n) -> support::adjacency {
    support::adjacency g(n);
    for (std::size_t v = 0; v + 1 < n; ++v)
        if (!support::chance(random, 5))
            g[v].push_back(
                static_cast<int>(v + 1 + support::below(random, std::min<std::size_t>(n - v - 1, 1 + v % 7))));
    return support::relabelled(g, support::random_permutation(random, n));
}

struct never_again {
    [[nodiscard]] auto operator()() const -> bool { return true; }
};

}  // namespace

TEST_CASE("terms that are added one after the other need 3 pebbles where they are made when they are needed",
          "[find_least_peak_order]") {
    support::adjacency g(41);  // 0 … 20 are the terms, 21 … 40 the sums
    for (int k = 0; k < 20; ++k) {
        g[static_cast<std::size_t>(k == 0 ? 0 : 20 + k)].push_back(21 + k);
        g[static_cast<std::size_t>(k + 1)].push_back(21 + k);
    }
    auto const flow = one_shot_flow(unit_case(g));
    CHECK(replay(flow, detail::schedule_in_order(flow, flow.order())).peak == 22);
    auto const found = find_least_peak_order(flow);
    CHECK((found.peak == 3 && found.is_proven() && holds(flow, found)));
    CHECK(detail::liu_order(flow)->peak == 3);
}

TEST_CASE("two butterflies need 4 pebbles, and are no forest", "[find_least_peak_order]") {
    auto const flow = one_shot_flow(unit_case({{2, 3}, {2, 3}, {4, 5}, {4, 5}, {}, {}}));
    auto const found = find_least_peak_order(flow);
    CHECK((found.peak == 4 && found.is_proven() && holds(flow, found)));
    CHECK(!detail::liu_order(flow));
}

TEST_CASE("what stays to the end is a bound that takes no search", "[find_least_peak_order]") {
    dataflow_builder builder;
    auto const x = builder.add_value(builder.add_operation(1), 5);
    for (int k = 0; k < 20; ++k) {
        auto const v = builder.add_operation(1);
        builder.add_read(v, x);
        builder.add_result(builder.add_value(v, 10));
    }
    auto const found = find_least_peak_order(std::move(builder).build(), {.limits = {.work = 0}});
    CHECK((found.lower_bound == 200 && found.peak == 205));
}

TEST_CASE("an empty dataflow has an empty order", "[find_least_peak_order]") {
    auto const found = find_least_peak_order(dataflow());
    CHECK((found.order.empty() && found.peak == 0 && found.is_proven()));
}

TEST_CASE("of a graph of the caller's, the order has its vertices", "[find_least_peak_order]") {
    support::adjacency const g{{2}, {2}, {}};
    weights const w{unit_weight{}, [](int v) { return 10 + v; }};
    CHECK(find_least_peak_order(g, w).peak == 33);
    CHECK(detail::liu_order(g, w)->order.back() == 2);
    CHECK(detail::liu_order(support::adjacency{{1, 2}, {}, {}}, w) == std::nullopt);  // two readers of one value
}

TEST_CASE("the given order of a dataflow with alternatives stays, without a bound", "[find_least_peak_order]") {
    dataflow_builder builder;
    auto const a = builder.add_operation(1), b = builder.add_operation(1), c = builder.add_operation(1);
    auto const x = builder.add_value(a, 4);
    builder.add_producer(b, x);
    builder.add_read(c, x);
    auto const flow = std::move(builder).build();
    auto const found = find_least_peak_order(flow);
    CHECK((holds(flow, found) && !found.is_proven()));
    CHECK(!detail::liu_order(flow));
}

TEST_CASE("a step that may be in place over a result saves nothing, and runs before the larger one",
          "[find_least_peak_order][liu_order]") {
    dataflow_builder builder;
    auto const x = builder.add_value(builder.add_input(), 3);
    auto const large = builder.add_operation(1, 2), in_place = builder.add_operation(1);
    auto const y = builder.add_value(large, 4);
    builder.add_value(in_place, 3);
    builder.add_read(in_place, x);
    builder.allow_overwrite(in_place, 0, x);
    for (auto const value : {x, y}) builder.add_result(value);
    auto const flow = std::move(builder).build();
    auto const found = find_least_peak_order(flow);
    CHECK((found.peak == 9 && found.is_proven() && found.order.back() == large && holds(flow, found)));
    CHECK(detail::liu_order(flow)->peak == 9);
}

TEST_CASE("peaks of random graphs are those of a dynamic program over all lower sets",
          "[find_least_peak_order][property]") {
    std::size_t searched = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        split_mix random(seed);
        for (int i = 0; i < 10; ++i) {
            auto const c = support::random_one_shot_case(random, support::any_dag(random, 12),
                                                         support::pick(random, std::vector<std::int64_t>{1, 3, 20}));
            auto const flow = one_shot_flow(c);
            auto const found = find_least_peak_order(flow);
            RC_ASSERT(holds(flow, found));
            RC_ASSERT(found.is_proven());
            RC_ASSERT(found.peak == support::brute_order_peak(c));
            searched += found.states > 0 ? 1U : 0U;
        }
    }));
    CHECK(searched > 30);
}

TEST_CASE("peaks of trees by Liu's segments are those of a dynamic program", "[liu_order][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        split_mix random(seed);
        for (int i = 0; i < 30; ++i) {
            auto const c = support::random_one_shot_case(random, random_forest(random, 1 + support::below(random, 11)),
                                                         i % 2 == 0 ? 3 : 30);
            auto const flow = one_shot_flow(c);
            auto const found = detail::liu_order(flow);
            RC_ASSERT(found.has_value());
            RC_ASSERT(holds(flow, *found));
            RC_ASSERT(found->peak == support::brute_order_peak(c));
        }
    }));
}

TEST_CASE("the peak with views, results, inputs and steps in place is the least of all orders by replay",
          "[find_least_peak_order][liu_order][property]") {
    std::size_t below_given = 0, trees = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        split_mix random(seed);
        for (int i = 0; i < 5; ++i) {
            auto const flow =
                support::random_full_dataflow(random, {.operations = 1 + support::below(random, 6),
                                                       .input_percent = static_cast<std::size_t>(i == 0 ? 50 : 10),
                                                       .alternative_percent = 0,
                                                       .overwrite_percent = 70});
            auto const least = all_orders_peak(flow);
            auto const found = find_least_peak_order(flow);
            RC_ASSERT(holds(flow, found));
            RC_ASSERT(found.is_proven());
            RC_ASSERT(found.peak == least);
            below_given += replay(flow, detail::schedule_in_order(flow, flow.order())).peak > least ? 1U : 0U;
            if (auto const liu = detail::liu_order(flow)) {
                ++trees;
                RC_ASSERT(holds(flow, *liu));
                RC_ASSERT(liu->peak == least);
            }
        }
    }));
    CHECK((below_given > 5 && trees > 5));  // also of few cases
}

TEST_CASE("a search that is cut short has an order and a bound, and none of a greater search is worse",
          "[find_least_peak_order][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        split_mix random(seed);
        auto const c = support::random_one_shot_case(random, support::random_dag(random, 14, 25), 20);
        auto const flow = one_shot_flow(c);
        auto const least = support::brute_order_peak(c);
        auto const given = replay(flow, detail::schedule_in_order(flow, flow.order())).peak;
        for (std::size_t const states : {0U, 1U, 10U, 30U, 100U}) {
            auto const found = find_least_peak_order(flow, {.limits = {.work = states}});
            RC_ASSERT(holds(flow, found));
            RC_ASSERT((found.lower_bound <= least && least <= found.peak && found.peak <= given));
            RC_ASSERT(find_least_peak_order(flow, {.limits = {.work = states}}) == found);
        }
        auto const cancelled = find_least_peak_order(flow, {.limits = {.stop = never_again{}}});
        RC_ASSERT(holds(flow, cancelled));
    }));
}

TEST_CASE("a fan of 2000 operations keeps the limit of states, and a cancelled search of it has the given order",
          "[find_least_peak_order]") {
    constexpr std::size_t n = 2000;
    auto c = unit_case(support::adjacency(n));
    for (std::size_t v = 1; v + 1 < n; ++v) {
        c.graph[0].push_back(static_cast<int>(v));
        c.graph[v].push_back(static_cast<int>(n - 1));
        c.memory[v] = static_cast<bytes>(1 + v * 7919 % 1000);
    }
    c.memory[0] = 2000;
    auto const flow = one_shot_flow(c);
    auto const found = find_least_peak_order(flow, {.limits = {.work = 100}});
    CHECK(holds(flow, found));
    CHECK(found.states <= 100 + n / 4);  // a greedy order is as n / 4 states
    auto const cancelled = find_least_peak_order(flow, {.limits = {.stop = never_again{}}});
    CHECK((cancelled.states == 0 && std::ranges::equal(cancelled.order, flow.order())));
}

TEST_CASE("peaks stay the same after renumbering", "[find_least_peak_order][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        split_mix random(seed);
        auto const c = support::random_one_shot_case(random, support::random_dag(random, 30, 9), 9);
        auto const name = support::random_permutation(random, c.graph.size());
        auto other = c;
        other.graph = support::relabelled(c.graph, name);
        for (std::size_t v = 0; v < name.size(); ++v) {
            auto const w = static_cast<std::size_t>(name[v]);
            other.memory[w] = c.memory[v];
            other.workspace[w] = c.workspace[v];
            other.stays[w] = c.stays[v];
        }
        auto const a = find_least_peak_order(one_shot_flow(c)), b = find_least_peak_order(one_shot_flow(other));
        RC_ASSERT((a.is_proven() && b.is_proven()));
        RC_ASSERT(a.peak == b.peak);
    }));
}

TEST_CASE("eleven forward graphs have the peaks that an independent search has proven", "[find_least_peak_order]") {
    std::size_t files = 0, states = 0;
    for (auto const& entry : std::filesystem::directory_iterator(support::source_dir() + "/tests/data/order")) {
        auto const file = nlohmann::json::parse(std::ifstream(entry.path()));
        INFO(entry.path().filename().string());
        support::one_shot_case c = unit_case(support::adjacency(file.at("nodes").size()));
        for (std::size_t v = 0; v < c.graph.size(); ++v) {
            c.memory[v] = file.at("nodes").at(v).at("memory");
            c.workspace[v] = file.at("nodes").at(v).at("workspace");
        }
        for (auto const& edge : file.at("edges")) c.graph[edge.at(0)].push_back(edge.at(1));
        auto const flow = one_shot_flow(c);
        auto const found = find_least_peak_order(flow);
        CHECK(holds(flow, found));
        CHECK(found.is_proven());
        CHECK(found.peak == file.at("one_shot_least_peak").get<bytes>());
        std::vector<operation_index> const theirs = file.at("order");
        CHECK(replay(flow, detail::schedule_in_order(flow, theirs)).peak == found.peak);
        states += found.states;
        ++files;
    }
    CHECK(files == 11);
    CHECK(states < 50'000);
}
