// Covers pebbling/replay_clock.hpp, pebbling/replay.hpp.
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/pebbling/replay.hpp>

#include "support/catch.hpp"
#include "support/early_and_late_swap.hpp"

using namespace repebble;
using support::swap_of_a;
using support::two_values_and_a_reader;

TEST_CASE("copies one after the other: bytes leave the device, time is added", "[transfers]") {
    auto const flow = two_values_and_a_reader();
    auto const plan = swap_of_a(flow, false);
    auto const free_copies = replay(flow, plan, {.profile = true});
    CHECK(free_copies.time == 9);
    CHECK(free_copies.overhead == 0);
    CHECK(free_copies.profile == std::vector<bytes>{4, 4, 4, 10, 14, 15, 15});
    CHECK(free_copies.host_peak == 4);
    CHECK(free_copies.recomputations == 0);

    auto const slow_copies = replay(flow, plan, {}, serial_clock{.time_per_byte = 2});
    CHECK(slow_copies.time == 9 + 2 * 4 * 2);
    CHECK(slow_copies.overhead == 2 * 4 * 2);
    CHECK(slow_copies.peak == free_copies.peak);
}

TEST_CASE("computing a value anew ends its copy on the host", "[transfers]") {
    auto const flow = two_values_and_a_reader();
    schedule_builder plan(flow);
    plan.compute(0);
    plan.offload(0);
    plan.compute(0);
    plan.offload(0);  // the new one; the copy of the old one is discarded
    plan.compute(1);
    plan.compute(2);
    auto const result = replay(flow, std::move(plan).finish());
    CHECK(result.host_peak == 4);
    CHECK(result.recomputations == 1);
}

TEST_CASE("times that overflow are an error", "[transfers]") {
    dataflow_builder builder;
    builder.add_value(builder.add_operation(std::numeric_limits<std::int64_t>::max()), 2);
    auto const flow = std::move(builder).build();
    CHECK_THROWS_AS(verify_schedule(flow, schedule<>{{{.vertex = 0}, {.repetition = 1, .vertex = 0}}}), bad_weight);
    CHECK_THROWS_AS(verify_schedule(flow, schedule<>{{{.vertex = 0}, {.what = action::offload, .vertex = 0}}}, {},
                                    serial_clock{.time_per_byte = std::int64_t{1} << 62}),
                    bad_weight);
}
