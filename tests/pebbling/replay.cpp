// Covers pebbling/make_schedule.hpp, pebbling/replay.hpp, pebbling/replay_result.hpp,
// pebbling/verify_schedule.hpp.
#include <cstdint>
#include <utility>
#include <vector>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>

#include "support/archetypes.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"

using namespace repebble;

namespace {

/// 0 -> 1 -> 2 with 4, 2 and 1 bytes, 10, 20 and 30 time units.
auto const three = support::chain(3);
auto const times = [](int v) { return 10 * (v + 1); };
auto const sizes = [](int v) { return 4 >> v; };

}  // namespace

TEST_CASE("figures of a schedule with a recomputation, by hand", "[replay]") {
    auto const flow = make_dataflow(three, times, sizes);
    CHECK(flow.time_once() == 60);
    schedule_builder plan(flow);
    plan.compute(0);
    plan.compute(1);
    plan.discard(0);
    plan.compute(2);
    plan.compute(0);
    auto const result = replay(flow, std::move(plan).finish(), {.profile = true, .resident_at_end = {0, 2}});
    CHECK(result == replay_result{.time = 70,
                                  .overhead = 10,
                                  .peak = 7,
                                  .peak_step = 4,
                                  .host_peak = 0,
                                  .recomputations = 1,
                                  .profile = {4, 6, 6, 3, 7}});
}

TEST_CASE("the first of several steps with the peak is named, and no profile is kept unasked", "[replay]") {
    auto const flow = make_dataflow(three);
    auto const result = replay(flow, make_schedule(flow));
    CHECK(result.peak == 2);
    CHECK(result.peak_step == 1);
    CHECK(result.profile.empty());
}

TEST_CASE("an illegal schedule comes with the figures so far", "[replay]") {
    auto const flow = make_dataflow(three, times, sizes);
    auto const [result, broken] = verify_schedule(flow, schedule<>{{{.vertex = 0}, {.vertex = 2}}}, {.profile = true});
    REQUIRE(broken);
    CHECK(broken->step == 1);
    CHECK(result.time == 10);
    CHECK(result.peak == 4);
    CHECK(result.profile == std::vector<bytes>{4});
}

TEST_CASE("values to be resident at the end replace the sinks as the goal", "[replay]") {
    auto const flow = make_dataflow(three);
    schedule<> const first_two{{{.vertex = 0}, {.vertex = 1}}};
    CHECK(!verify_schedule(flow, first_two));
    CHECK(verify_schedule(flow, first_two, {.resident_at_end = {1, 0}}));
    CHECK(replay(flow, first_two, {.resident_at_end = {1}}).overhead == -1);  // less than everything once
}

TEST_CASE("a schedule in terms of the caller's own vertices", "[replay]") {
    using support::label;
    support::least_graph const g(three);
    schedule<label> plan;
    for (int const v : {100, 101, 102}) plan.steps.push_back({.vertex = label(v), .over = label(v)});
    plan.steps.push_back({.what = action::discard, .vertex = label(101), .over = label(101)});
    weights const w{[](label v) { return v.id() - 99; }, [](label v) { return 103 - v.id(); }};
    auto const result = replay(g, plan, w, {.profile = true});
    CHECK(result.time == 6);
    CHECK(result.profile == std::vector<bytes>{3, 5, 6, 6});

    plan.steps.front().vertex = label(107);
    CHECK_THROWS_AS(replay(g, plan, w), illegal_schedule);
}

TEST_CASE("a value written in place keeps its meaning under other names of the vertices", "[replay]") {
    schedule<int> plan{{{.vertex = 0}, {.in_place = true, .vertex = 1, .over = 0}, {.vertex = 2}}};
    CHECK(replay(three, plan, weights<>{}).peak == 2);
    CHECK(replay(support::least_graph(three), map_vertices(plan, [](int v) { return support::label(v + 100); }),
                 weights<>{})
              .peak == 2);
}
