#ifndef REPEBBLE_TESTS_SUPPORT_EARLY_AND_LATE_SWAP_HPP
#define REPEBBLE_TESTS_SUPPORT_EARLY_AND_LATE_SWAP_HPP

#include <cstdint>
#include <utility>
#include <vector>

#include <repebble/allocate/arena.hpp>
#include <repebble/execute/bind_schedule.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace support {

/// a (4 bytes, time 3) is read at the end by c (1 byte, time 1) together with b (10 bytes, time 5), which reads
/// nothing.
[[nodiscard]] inline auto two_values_and_a_reader() -> repebble::dataflow {
    repebble::dataflow_builder builder;
    auto const a = builder.add_value(builder.add_operation(3), 4);
    auto const b = builder.add_value(builder.add_operation(5), 10);
    auto const reader = builder.add_operation(1);
    builder.add_value(reader, 1);
    builder.add_read(reader, a);
    builder.add_read(reader, b);
    return std::move(builder).build();
}

/// a is offloaded before b is computed, and prefetched again.
[[nodiscard]] inline auto swap_of_a(repebble::dataflow const& flow, bool discard_late) -> repebble::schedule<> {
    repebble::schedule_builder plan(flow);
    plan.compute(0);
    plan.offload(0);
    if (!discard_late) plan.discard(0);
    plan.compute(1);
    if (discard_late) plan.discard(0);
    plan.prefetch(0);
    plan.compute(2);
    plan.discard(0, repebble::pool::host);
    return std::move(plan).finish();
}

/// The same in an arena of 15 bytes: where a is discarded early, b lies over it.
[[nodiscard]] inline auto bound_swap(repebble::dataflow const& flow, bool discard_late) -> repebble::bound_schedule {
    auto const steps = swap_of_a(flow, discard_late);
    repebble::arena device{.size = 15, .lifetimes = repebble::find_lifetimes(flow, steps)};
    device.offsets =
        discard_late ? std::vector<repebble::bytes>{0, 4, 0, 14} : std::vector<repebble::bytes>{0, 0, 10, 14};
    return repebble::bind_schedule(flow, steps, device);
}

}  // namespace support

#endif
