// Covers pebbling/lanes_clock.hpp, pebbling/host_link.hpp, pebbling/replay_clock.hpp, pebbling/replay.hpp.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/pebbling/host_link.hpp>
#include <repebble/pebbling/lanes_clock.hpp>
#include <repebble/pebbling/replay.hpp>

#include "support/catch.hpp"
#include "support/early_and_late_swap.hpp"
#include "support/event_simulation.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"
#include "support/random_schedules.hpp"

using namespace repebble;

namespace {

using lanes = lanes_clock;

/// The works of a replay: lane, begin, end.
struct works_seen {
    using work = std::tuple<lane, std::int64_t, std::int64_t>;
    std::vector<work> works{};
    void run(std::size_t, lane where, std::int64_t begin, std::int64_t end) { works.emplace_back(where, begin, end); }
};

}  // namespace

TEST_CASE("a copy takes its latency and its share of the bandwidth, rounded up", "[lanes]") {
    STATIC_REQUIRE(host_link{.size = 12, .time = 1}.copy_time(25) == 3);
    STATIC_REQUIRE(host_link{.size = 12, .time = 1, .latency = 5}.copy_time(0) == 5);
    auto const most = std::numeric_limits<std::int64_t>::max();
    CHECK(host_link{.size = most, .time = most}.copy_time(most) == most);
    CHECK_THROWS_AS((host_link{.size = 1, .time = 2}.copy_time(most)), bad_weight);
    CHECK_THROWS_AS((host_link{.size = 1, .time = 1, .latency = 1}.copy_time(most)), bad_weight);
    CHECK_THROWS_AS(lanes({.size = 0}), bad_weight);
    CHECK_THROWS_AS(lanes({.time = -1}), bad_weight);
    CHECK_THROWS_AS(lanes({.latency = -1}), bad_weight);
}

TEST_CASE("a reader waits for the copy in, and memory for the copy out", "[lanes]") {
    auto const flow = support::two_values_and_a_reader();
    // a: 0-3, out 3-7; b needs the memory of a: 7-12; in 12-16; c: 16-17.
    works_seen seen;
    auto const early = replay(flow, support::swap_of_a(flow, false), {}, lanes({.time = 1}), seen);
    CHECK(seen.works == std::vector<works_seen::work>{{lane::compute, 0, 3},
                                                      {lane::offload, 3, 7},
                                                      {lane::compute, 7, 12},
                                                      {lane::prefetch, 7, 11},
                                                      {lane::compute, 12, 13}});
    CHECK(early.time == 13);
    CHECK(early.stalls == lane_stalls{.for_memory = 4});
    CHECK(early.peak == 15);

    // b: 3-8 beside the copy out; a goes after it; in 7-11; c waits for that: 11-12.
    auto const late = replay(flow, support::swap_of_a(flow, true), {}, lanes({.time = 1}));
    CHECK(late.time == 12);
    CHECK(late.stalls == lane_stalls{.for_data = 3});
    CHECK(late.bytes_out == 4);
    CHECK(late.bytes_in == 4);
    CHECK(late.host_peak == 4);
    CHECK(late.overhead == 3);
}

TEST_CASE("a copy out that lasts longer than all computations counts", "[lanes]") {
    auto const flow = support::two_values_and_a_reader();
    schedule_builder plan(flow);
    for (operation_index const v : {0U, 1U, 2U}) plan.compute(v);
    plan.offload(2);
    auto const result = replay(flow, std::move(plan).finish(), {}, lanes({.time = 7}));
    CHECK(result.time == 16);
    CHECK(result.stalls == lane_stalls{.at_end = 7});
}

TEST_CASE("over a half duplex link copies in wait for copies out", "[lanes]") {
    dataflow_builder builder;
    auto const a = builder.add_value(builder.add_operation(1), 1);
    auto const b = builder.add_value(builder.add_operation(1), 9);
    auto const end = builder.add_operation(1);
    builder.add_value(end, 0);
    builder.add_read(end, a);
    builder.add_read(end, b);
    auto const flow = std::move(builder).build();
    schedule_builder plan(flow);
    plan.compute(0);
    plan.offload(a);
    plan.compute(1);
    plan.offload(b);
    plan.discard(a);
    plan.prefetch(a);
    plan.compute(2);
    auto const steps = std::move(plan).finish();
    // out a: 1-2, b: 2-11; in a: 2-3 or, on the same lane, 11-12.
    CHECK(replay(flow, steps, {}, lanes({.time = 1})).stalls == lane_stalls{.for_data = 1, .at_end = 7});
    CHECK(replay(flow, steps, {}, lanes({.time = 1, .half_duplex = true})).stalls == lane_stalls{.for_data = 10});
}

TEST_CASE("host memory that was let go is free when the copy in has ended", "[lanes]") {
    dataflow_builder builder;
    auto const a = builder.add_value(builder.add_operation(1), 4);
    auto const b = builder.add_value(builder.add_operation(1), 4);
    auto const end = builder.add_operation(1);
    builder.add_value(end, 0);
    builder.add_read(end, a);
    auto const flow = std::move(builder).build();
    schedule_builder plan(flow);
    plan.compute(0);
    plan.compute(1);
    plan.offload(a);  // 1-5
    plan.discard(a);
    plan.prefetch(a);  // 5-9
    plan.discard(a, pool::host);
    plan.offload(b);  // 9-13
    plan.compute(2);
    CHECK(replay(flow, std::move(plan).finish(), {}, lanes({.time = 1})).time == 13);
}

TEST_CASE("memory of a workspace is free when its operation has ended", "[lanes]") {
    dataflow_builder builder;
    auto const a = builder.add_value(builder.add_operation(1), 1);
    builder.add_value(builder.add_operation(5, 8), 0);
    auto const end = builder.add_operation(1);
    builder.add_value(end, 0);
    builder.add_read(end, a);
    auto const flow = std::move(builder).build();
    schedule_builder plan(flow);
    plan.compute(0);
    plan.offload(a);  // 1-2
    plan.discard(a);
    plan.compute(1);   // 2-7
    plan.prefetch(a);  // 7-8
    plan.compute(end);
    CHECK(replay(flow, std::move(plan).finish(), {}, lanes({.time = 1})).time == 9);
}

TEST_CASE("a step writes over a value when the copy of it has ended", "[lanes]") {
    dataflow_builder builder;
    auto const a = builder.add_value(builder.add_operation(1), 4);
    auto const writer = builder.add_operation(1);
    builder.add_value(writer, 4);
    builder.add_read(writer, a);
    auto const flow = std::move(builder).build();
    schedule_builder plan(flow);
    plan.compute(0);
    plan.offload(a);  // 1-5
    plan.compute_in_place(writer, 0, a);
    auto const result = replay(flow, std::move(plan).finish(), {}, lanes({.time = 1}));
    CHECK(result.time == 6);
    CHECK(result.stalls == lane_stalls{.for_memory = 4});
    CHECK(result.peak == 4);
}

TEST_CASE("times of lanes that overflow are an error", "[lanes]") {
    auto const flow = support::two_values_and_a_reader();
    CHECK_THROWS_AS(replay(flow, support::swap_of_a(flow, true), {}, lanes({.time = std::int64_t{1} << 61})),
                    bad_weight);
}

TEST_CASE("the lanes agree with a simulation by events, and no time has more bytes than the list",
          "[lanes][property]") {
    std::size_t legal = 0, stalled = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        for (int i = 0; i < 20; ++i) {
            auto const flow = support::any_dataflow(random, 10);
            auto const plan = support::random_schedule(random, flow, support::below(random, 100));
            if (!verify_schedule(flow, plan)) continue;
            host_link const via{.size = support::between(random, 1, 3),
                                .time = support::between(random, 0, 4),
                                .latency = support::between(random, 0, 2),
                                .half_duplex = support::below(random, 3) == 0};
            auto const result = replay(flow, plan, {}, lanes(via));
            support::event_simulation const events(flow, plan, via);
            RC_ASSERT(result.time == events.makespan());
            RC_ASSERT(events.peak_in_time() <= result.peak);
            RC_ASSERT(!events.has_race());
            auto const serial = replay(flow, plan);
            RC_ASSERT(result.peak == serial.peak);
            RC_ASSERT(result.time ==
                      serial.time + result.stalls.for_data + result.stalls.for_memory + result.stalls.at_end);
            ++legal;
            stalled += result.time > serial.time ? 1 : 0;
        }
    }));
    CHECK(legal > 0);
    CHECK(4 * stalled > legal);
}
