// Covers pebbling/liveness.hpp, pebbling/replay.hpp, pebbling/unroll.hpp.
#include <cstdint>
#include <span>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/pebbling/liveness.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/pebbling/unroll.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/throws.hpp"

using namespace repebble;
using support::throws;

TEST_CASE("a copy reads the latest instances of its original's inputs", "[unroll]") {
    std::vector<std::vector<int>> const chain{{1}, {2}, {}};
    auto const flow = make_dataflow(chain, weights{unit_weight{}, [](int v) { return 10 + v; }});
    std::vector<operation_index> const computations{0, 1, 0, 1, 2};
    auto const unrolled = unroll(flow, computations);
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

TEST_CASE("a copy of a view looks at the instance that it was made of", "[unroll]") {
    dataflow_builder<> builder;
    auto const x = builder.add_value(builder.add_operation(1), 8);
    auto const look = builder.add_operation(0);
    builder.add_read(look, x);
    std::vector const viewed{x};
    auto const view = builder.add_view(look, viewed);
    builder.add_read(builder.add_operation(1), view);
    auto const flow = std::move(builder).build();
    std::vector<operation_index> const computations{0, 1, 0, 2};
    auto const unrolled = unroll(flow, computations);
    REQUIRE(unrolled.flow.value_count() == 3);
    CHECK(unrolled.flow.is_view(1));
    CHECK(unrolled.flow.owners(1).front() == 0);
    CHECK(unrolled.flow.reads(3).front() == 1);
    CHECK(replay(unrolled.flow, liveness(unrolled.flow)).peak == 16);
    CHECK(replay(unrolled.flow, liveness(unrolled.flow)).peak == replay(flow, liveness(flow, computations)).peak);
}

TEST_CASE("a computation that cannot be unrolled is named", "[unroll]") {
    std::vector<std::vector<int>> const chain{{1}, {}};
    auto const flow = make_dataflow(chain);
    std::vector<operation_index> const early{1, 0}, unknown{0, 2};
    CHECK(throws<bad_graph>([&] { return unroll(flow, early); }, {"computation 0", "value 0", "not computed"}));
    CHECK(throws<bad_graph>([&] { return unroll(flow, unknown); }, {"computation 1", "operation 2", "2"}));
    CHECK(unroll(flow, schedule<>{}).flow.operation_count() == 0);
}

TEST_CASE("a schedule with discards as early as can be and its unrolled graph replay to one peak",
          "[unroll][property]") {
    CHECK(rc::check([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const flow = support::random_dataflow(random, {.operations = 1 + support::below(random, 12)});
        auto const computations = support::random_compute_order(random, flow, support::below(random, 8));
        auto const plan = liveness(flow, computations);
        auto const unrolled = unroll(flow, plan);
        RC_ASSERT(unrolled == unroll(flow, computations));
        auto const once = replay(unrolled.flow, liveness(unrolled.flow));
        auto const again = replay(flow, plan);
        RC_ASSERT(once.peak == again.peak);
        RC_ASSERT(once.time == again.time);
        RC_ASSERT(once.recomputations == 0U);
    }));
}
