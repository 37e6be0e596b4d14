// Covers pebbling/clock.hpp, pebbling/replay.hpp.
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/pebbling/replay.hpp>

#include "support/catch.hpp"

using namespace repebble;

namespace {

/// a (4 bytes, time 3) is read at the end by c (1 byte, time 1) together with b (10 bytes, time 5), which reads
/// nothing.
template <quantity Time = std::int64_t>
auto swap_flow() -> dataflow<Time> {
    dataflow_builder<Time> builder;
    auto const a = builder.add_value(builder.add_operation(3), 4);
    auto const b = builder.add_value(builder.add_operation(5), 10);
    auto const reader = builder.add_operation(1);
    builder.add_value(reader, 1);
    builder.add_read(reader, a);
    builder.add_read(reader, b);
    return std::move(builder).build();
}

/// a is offloaded before b is computed, and prefetched again.
template <quantity Time>
auto swap_plan(dataflow<Time> const& flow, bool discard_late) -> schedule<> {
    schedule_builder<Time> plan(flow);
    plan.compute(0);
    plan.offload(0);
    if (!discard_late) plan.discard(0);
    plan.compute(1);
    if (discard_late) plan.discard(0);
    plan.prefetch(0);
    plan.compute(2);
    plan.discard(0, pool::host);
    return std::move(plan).finish();
}

}  // namespace

TEST_CASE("copies one after the other: bytes leave the device, time is added", "[transfers]") {
    auto const flow = swap_flow();
    auto const plan = swap_plan(flow, false);
    auto const free_copies = replay(flow, plan, {.profile = true});
    CHECK(free_copies.time == 9);
    CHECK(free_copies.overhead == 0);
    CHECK(free_copies.profile == std::vector<bytes>{4, 4, 4, 10, 14, 15, 15});
    CHECK(free_copies.host_peak == 4);
    CHECK(free_copies.recomputations == 0);

    auto const slow_copies = replay(flow, plan, {}, serial_clock<std::int64_t>{.time_per_byte = 2});
    CHECK(slow_copies.time == 9 + 2 * 4 * 2);
    CHECK(slow_copies.overhead == 2 * 4 * 2);
    CHECK(slow_copies.peak == free_copies.peak);
}

TEST_CASE("computing a value anew ends its copy on the host", "[transfers]") {
    auto const flow = swap_flow();
    schedule_builder<std::int64_t> plan(flow);
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

TEST_CASE("time may be floating", "[transfers]") {
    auto const flow = swap_flow<double>();
    auto const result = replay(flow, swap_plan(flow, false), {}, serial_clock<double>{.time_per_byte = 0.25});
    CHECK(result.time == 11.0);
    CHECK(result.overhead == 2.0);
}

TEST_CASE("times that overflow are an error", "[transfers]") {
    dataflow_builder<> builder;
    builder.add_value(builder.add_operation(std::numeric_limits<std::int64_t>::max()), 2);
    auto const flow = std::move(builder).build();
    CHECK_THROWS_AS(judge(flow, schedule<>{{{.vertex = 0}, {.repetition = 1, .vertex = 0}}}), bad_weight);
    CHECK_THROWS_AS(judge(flow, schedule<>{{{.vertex = 0}, {.what = action::offload, .vertex = 0}}}, {},
                          serial_clock<std::int64_t>{.time_per_byte = std::int64_t{1} << 62}),
                    bad_weight);
}
