// Covers pebbling/detail/expand_views.hpp, pebbling/make_schedule.hpp, pebbling/schedule.hpp.
#include <cstdint>
#include <string>
#include <utility>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/pebbling/detail/expand_views.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/schedule.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"

using namespace repebble;

TEST_CASE("the builder counts runs of operations and computations of values", "[schedule]") {
    dataflow_builder builder;
    for (int i = 0; i < 2; ++i) builder.add_operation(1);
    auto const shared = builder.add_value(0, 1);
    builder.add_producer(1, shared);
    auto const flow = std::move(builder).build();
    schedule_builder plan(flow);
    plan.compute(0);
    plan.compute(1);
    plan.compute(1);
    plan.offload(shared);
    plan.discard(shared);
    plan.prefetch(shared);
    CHECK(plan.runs(0) == 1);
    CHECK(plan.runs(1) == 2);
    CHECK(plan.step_count() == 6);
    CHECK(std::move(plan).finish() ==
          schedule<>{{{.vertex = 0},
                      {.vertex = 1},
                      {.repetition = 1, .vertex = 1},
                      {.what = action::offload, .repetition = 2, .vertex = 0},
                      {.what = action::discard, .repetition = 2, .vertex = 0},
                      {.what = action::prefetch, .from = pool::host, .repetition = 2, .vertex = 0}}});
}

TEST_CASE("the builder rejects values that do not exist", "[schedule]") {
    auto const flow = make_dataflow(support::chain(2));
    schedule_builder plan(flow);
    CHECK_THROWS_AS(plan.compute(2), precondition_violated);
    CHECK_THROWS_AS(plan.discard(2), precondition_violated);
    CHECK_THROWS_AS(plan.compute_in_place(0, 0, 2), precondition_violated);
}

TEST_CASE("vertices of a schedule can be renamed and named back", "[schedule]") {
    schedule<> const plan{{{.vertex = 0}, {.in_place = true, .output = 1, .vertex = 1, .over_output = 2, .over = 0}}};
    auto const words = map_vertices(plan, [](operation_index v) { return std::string(1, static_cast<char>('a' + v)); });
    CHECK(words.steps.back().vertex == "b");
    CHECK(words.steps.back().over == "a");
    CHECK(map_vertices(words, [](std::string const& s) { return static_cast<operation_index>(s[0] - 'a'); }) == plan);
}

TEST_CASE("a graph without views is planned as it is", "[schedule]") {
    auto const flow = make_dataflow(support::adjacency{{1, 2}, {3}, {3}, {}});
    auto const contracted = detail::contract_views(flow);
    auto const plan = make_schedule(contracted.flow());
    CHECK(plan.steps.size() == 8);
    CHECK(detail::expand_views(flow, contracted, plan) == plan);
}
