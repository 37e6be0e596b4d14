// Covers pebbling/make_schedule.hpp, pebbling/replay.hpp, pebbling/make_unrolled.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/make_unrolled.hpp>
#include <repebble/pebbling/replay.hpp>

#include "support/catch.hpp"
#include "support/computations.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"
#include "support/random_full_dataflow.hpp"
#include "support/random_schedules.hpp"
#include "support/throws.hpp"

using namespace repebble;
using support::throws;

TEST_CASE("a copy reads the latest instances of its original's inputs", "[make_unrolled]") {
    std::vector<std::vector<int>> const chain{{1}, {2}, {}};
    auto const flow = make_dataflow(chain, weights{unit_weight{}, [](int v) { return 10 + v; }});
    std::vector<operation_index> const computations{0, 1, 0, 1, 2};
    auto const unrolled = make_unrolled(flow, computations);
    CHECK(unrolled.origin == computations);
    CHECK(unrolled.repetition == std::vector<std::uint32_t>{0, 0, 1, 1, 0});
    REQUIRE(unrolled.flow.value_count() == 5);
    CHECK(unrolled.flow.size(3) == 11);
    CHECK(unrolled.flow.graph().predecessors(1).front() == 0);
    CHECK(unrolled.flow.graph().predecessors(3).front() == 2);
    CHECK(unrolled.flow.graph().predecessors(4).front() == 3);
    CHECK(unrolled.flow.is_sink(1));
    CHECK(unrolled.flow.time_once() == 5);
}

TEST_CASE("a copy of a view looks at the instance that it was made of", "[make_unrolled]") {
    dataflow_builder builder;
    auto const x = builder.add_value(builder.add_operation(1), 8);
    auto const look = builder.add_operation(0);
    builder.add_read(look, x);
    std::vector const viewed{x};
    auto const view = builder.add_view(look, viewed);
    builder.add_read(builder.add_operation(1), view);
    auto const flow = std::move(builder).build();
    std::vector<operation_index> const computations{0, 1, 0, 2};
    auto const unrolled = make_unrolled(flow, computations);
    REQUIRE(unrolled.flow.value_count() == 3);
    CHECK(unrolled.flow.is_view(1));
    CHECK(unrolled.flow.owners(1).front() == 0);
    CHECK(unrolled.flow.reads(3).front() == 1);
    CHECK(replay(unrolled.flow, make_schedule(unrolled.flow)).peak == 16);
    CHECK(replay(unrolled.flow, make_schedule(unrolled.flow)).peak ==
          replay(flow, make_schedule(flow, computations)).peak);
}

TEST_CASE("a computation that cannot be unrolled is named", "[make_unrolled]") {
    std::vector<std::vector<int>> const chain{{1}, {}};
    auto const flow = make_dataflow(chain);
    std::vector<operation_index> const early{1, 0}, unknown{0, 2};
    CHECK(throws<bad_graph>([&] { return make_unrolled(flow, early); }, {"computation 0", "value 0", "not computed"}));
    CHECK(throws<bad_graph>([&] { return make_unrolled(flow, unknown); }, {"computation 1", "operation 2", "2"}));
    CHECK(make_unrolled(flow, schedule<>{}).flow.operation_count() == 0);
}

TEST_CASE("a schedule with discards as early as can be and its unrolled graph replay to one peak",
          "[make_unrolled][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const flow = support::random_dataflow(random, {.operations = 1 + support::below(random, 12)});
        auto const computations = support::random_compute_order(random, flow, support::below(random, 8));
        auto const plan = make_schedule(flow, computations);
        auto const unrolled = make_unrolled(flow, plan);
        RC_ASSERT(unrolled == make_unrolled(flow, computations));
        auto const once = replay(unrolled.flow, make_schedule(unrolled.flow));
        auto const again = replay(flow, plan);
        RC_ASSERT(once.peak == again.peak);
        RC_ASSERT(once.time == again.time);
        RC_ASSERT(once.recomputations == 0U);
    }));
}

TEST_CASE("results, inputs, mutations, control edges and operands are unrolled", "[make_unrolled]") {
    dataflow_builder builder;
    auto const state = builder.add_value(builder.add_input(), 8);
    for (int v = 1; v < 4; ++v) builder.add_operation(1);
    auto const x = builder.add_value(1, 8);
    auto const sum = builder.add_value(2, 8);
    auto const y = builder.add_value(3, 8);
    for (auto const value : {x, state, x}) builder.add_read(2, value);
    builder.add_read(3, x);
    builder.add_mutation(2, 0, state);
    builder.allow_overwrite(3, 0, x);
    builder.add_control_edge(2, 3);
    for (auto const value : {sum, y}) builder.add_result(value);
    auto const flow = std::move(builder).build();

    std::vector<operation_index> const computations{1, 0, 2, 1, 3};  // the input comes first, wherever it is
    auto const unrolled = make_unrolled(flow, computations);
    CHECK(unrolled.origin == std::vector<operation_index>{0, 1, 2, 1, 3});
    CHECK(unrolled.repetition == std::vector<std::uint32_t>{0, 0, 0, 1, 0});
    auto const& copy = unrolled.flow;
    CHECK((copy.is_input(0) && !copy.is_input(1)));
    CHECK(std::ranges::equal(copy.operands(2), std::vector<value_index>{1, 0, 1}));
    CHECK(std::ranges::equal(copy.mutations(2), std::vector<overwrite>{{0, 0}}));
    CHECK(std::ranges::equal(copy.allowed_overwrites(4), std::vector<overwrite>{{0, 3}}));
    CHECK(std::ranges::equal(copy.control_predecessors(4), std::vector<operation_index>{2}));
    CHECK(std::ranges::equal(copy.results(), std::vector<value_index>{2, 4}));
    CHECK(replay(copy, make_schedule(copy)).peak == replay(flow, make_schedule(flow, computations)).peak);
}

TEST_CASE("what the sequence lacks for mutations, control edges and results is named", "[make_unrolled]") {
    dataflow_builder builder;
    for (int v = 0; v < 4; ++v) builder.add_operation(1);
    auto const x = builder.add_value(0, 8);
    auto const changed = builder.add_value(1, 8);
    builder.add_read(1, x);
    builder.add_read(2, x);
    builder.add_mutation(1, 0, x);  // so 2 comes before 1
    builder.add_control_edge(1, 3);
    builder.add_result(changed);
    auto const flow = std::move(builder).build();
    using sequence = std::vector<operation_index>;
    CHECK(throws<bad_graph>(
        [&] {
            return make_unrolled(flow, sequence{0, 1});
        },
        {"computation 1", "operation 1", "operation 2", "control edge"}));
    CHECK(throws<bad_graph>(
        [&] {
            return make_unrolled(flow, sequence{0, 2, 1, 2});
        },
        {"computation 3", "value 0", "overwritten"}));
    CHECK(throws<bad_graph>([&] { return make_unrolled(flow, sequence{0, 2, 3}); }, {"computation 2", "operation 3"}));
    CHECK(throws<bad_graph>([&] { return make_unrolled(flow, sequence{0, 2}); }, {"result 1", "not computed"}));
    CHECK(make_unrolled(flow, sequence{0, 2, 1, 0, 2, 1}).flow.operation_count() == 6);
}

TEST_CASE("with all features an unrolled graph replays to the peak of its schedule", "[make_unrolled][property]") {
    std::size_t legal = 0, mutations = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        for (int i = 0; i < 10; ++i) {
            auto const flow = support::random_full_dataflow(random, {.operations = 1 + support::below(random, 10)});
            std::vector<operation_index> order;
            for (auto const& [v, repetition] : support::computations(support::random_schedule(random, flow, 60)))
                order.push_back(v);
            auto const plan = make_schedule(flow, order);
            if (!verify_schedule(flow, plan)) continue;
            ++legal;
            for (auto const v : order) mutations += flow.mutations(v).size();
            auto const unrolled = make_unrolled(flow, plan);
            RC_ASSERT(unrolled == make_unrolled(flow, order));
            auto const once = replay(unrolled.flow, make_schedule(unrolled.flow));
            auto const again = replay(flow, plan);
            RC_ASSERT(once.peak <= again.peak);
            RC_ASSERT((once.peak == again.peak || support::has_views(flow)));
            RC_ASSERT(once.time == again.time);
        }
    }));
    CHECK(legal > 50);
    CHECK(mutations > 25);
}
