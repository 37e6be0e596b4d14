// Covers pebbling/detail/drop_unread.hpp, pebbling/detail/expand_views.hpp, pebbling/replay.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/dataflow/detail/contract_views.hpp>
#include <repebble/pebbling/detail/drop_unread.hpp>
#include <repebble/pebbling/detail/expand_views.hpp>
#include <repebble/pebbling/lanes_clock.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/promises.hpp"
#include "support/property.hpp"
#include "support/random_full_dataflow.hpp"
#include "support/random_schedules.hpp"

using namespace repebble;

TEST_CASE("a view that takes time is not made again where only its owner is read again", "[drop_unread]") {
    dataflow_builder builder;
    auto const owner = builder.add_operation(1), view = builder.add_operation(10), reader = builder.add_operation(1),
               late = builder.add_operation(1);
    auto const x = builder.add_value(owner, 8);
    builder.add_read(view, x);
    auto const y = builder.add_view(view, std::vector<value_index>{x});
    builder.add_read(reader, y);
    auto const z = builder.add_value(reader, 2);
    builder.add_read(late, z);
    builder.add_read(late, x);
    auto const flow = std::move(builder).build();
    auto const contracted = detail::contract_views(flow);
    auto const of = [&](operation_index v) { return contracted.representative[v]; };
    std::vector<operation_index> const order{of(owner), of(reader), of(owner), of(late)};
    auto const expanded = detail::expand_views(flow, contracted, make_schedule(contracted.flow(), order));
    CHECK(replay(flow, expanded).time == 24);
    auto const dropped = detail::drop_unread(flow, expanded);
    CHECK(replay(flow, dropped).time == 14);
    CHECK(replay(flow, dropped).peak == 10);
    CHECK(detail::drop_unread(flow, dropped) == dropped);
}

TEST_CASE("what only an alternative would read is not computed, and what the goal or a control edge asks for is",
          "[drop_unread]") {
    dataflow_builder b;
    auto const owner = b.add_operation(1), unread = b.add_operation(10), other = b.add_operation(5),
               ordered = b.add_operation(2), late = b.add_operation(1), sink = b.add_operation(3);
    auto const x = b.add_value(owner, 8);
    auto const view = b.add_view(unread, std::vector{x});
    auto const y = b.add_value(owner, 2);
    b.add_producer(other, y);
    auto const z = b.add_value(ordered, 1);
    for (auto const& [reader, read] : {std::pair{unread, x}, {other, view}, {other, z}, {late, y}})
        b.add_read(reader, read);
    b.add_control_edge(ordered, late);
    b.add_value(late, 1);
    b.add_value(sink, 1);
    auto const flow = std::move(b).build();
    auto const all = make_schedule(flow, std::vector{owner, unread, ordered, late, sink});
    CHECK(replay(flow, all).time == 17);
    CHECK(detail::drop_unread(flow, all) == make_schedule(flow, std::vector{owner, ordered, late, sink}));
}

TEST_CASE("what only a dropped computation reads is discarded before it", "[drop_unread]") {
    dataflow_builder b;
    auto const first = b.add_operation(1), middle = b.add_operation(1), reader = b.add_operation(1),
               large = b.add_operation(1);
    auto const x = b.add_value(first, 8);
    b.add_read(middle, x);
    b.add_read(reader, b.add_value(middle, 1));
    b.add_value(large, 10);
    auto const flow = std::move(b).build();
    std::vector const twice{first, middle, reader, large, middle}, once{first, middle, reader, large};
    auto const all = make_schedule(flow, twice);
    CHECK(replay(flow, all).peak == 18);
    auto const dropped = detail::drop_unread(flow, all);
    CHECK(replay(flow, dropped).peak == 10);
    CHECK(dropped == make_schedule(flow, once));
    std::vector const kept{x};  // to the end
    CHECK(detail::drop_unread(flow, make_schedule(flow, twice, kept)) == make_schedule(flow, once, kept));
}

TEST_CASE("without unread computations a schedule is legal, no slower and no higher", "[drop_unread][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        for (int i = 0; i < 20; ++i) {
            auto const flow = support::any_dataflow(random, 14, 40);
            auto const contracted = detail::contract_views(flow);
            auto const order = support::random_compute_order(random, contracted.flow(), support::below(random, 10));
            auto const given = detail::expand_views(flow, contracted, make_schedule(contracted.flow(), order));
            auto const before = replay(flow, given);
            auto const made = detail::drop_unread(flow, given);
            auto const after = replay(flow, made);
            RC_ASSERT(after.time <= before.time);
            RC_ASSERT(after.peak <= before.peak);
            RC_ASSERT(detail::drop_unread(flow, made) == made);
        }
    }));
}

TEST_CASE("without what only alternatives would read a schedule with every feature is legal and complete",
          "[drop_unread][property]") {
    std::size_t shorter = 0;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        INFO("seed " << seed);
        support::split_mix random(seed);
        auto const flow = support::random_full_dataflow(
            random, {.operations = 4 + support::below(random, 12), .alternative_percent = 60, .circle_percent = 40});
        auto const given = make_schedule(flow, support::random_topological_order(random, flow));
        auto const before = replay(flow, given);
        auto const made = detail::drop_unread(flow, given);
        auto const [after, broken] = verify_schedule(flow, made);
        REQUIRE_FALSE(broken);
        CHECK(support::schedule_fault(flow, made, after.peak, after.time) == "");
        CHECK((after.time <= before.time && after.peak <= before.peak));
        shorter += made.steps.size() < given.steps.size() ? 1U : 0U;
    }
    CHECK(shorter > 20);
}

TEST_CASE("storage that a step takes over is there, whoever reads it, and every copy out that is left is fetched",
          "[drop_unread][property]") {
    std::size_t legal = 0, shorter = 0, fewer_copies = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        for (int i = 0; i < 40; ++i) {
            auto const flow = support::any_full_dataflow(random);
            auto const given = support::random_schedule(random, flow, support::below(random, 150));
            auto const [before, broken] = verify_schedule(flow, given);
            if (broken) continue;
            ++legal;
            auto const made = detail::drop_unread(flow, given);
            shorter += made.steps.size() < given.steps.size() ? 1U : 0U;
            auto const after = replay(flow, made);
            RC_ASSERT(after.time <= before.time);
            RC_ASSERT(after.peak <= before.peak);
            fewer_copies += after.bytes_out < before.bytes_out ? 1U : 0U;
            RC_ASSERT(after.bytes_in == before.bytes_in);
            RC_ASSERT(after.host_peak <= before.host_peak);
            lanes_clock const lanes({.size = 1, .time = 1, .latency = 1});
            RC_ASSERT(replay(flow, made, {}, lanes).time <= replay(flow, given, {}, lanes).time);
            std::vector<bool> waits(flow.value_count(), false);
            for (auto const& s : made.steps) {
                if (s.what == action::compute) continue;
                auto const x = flow.writes(s.vertex)[s.output];
                if (s.what == action::offload) {
                    RC_ASSERT(!waits[x]);
                    waits[x] = true;
                }
                if (s.what == action::prefetch) waits[x] = false;
            }
            RC_ASSERT(std::ranges::find(waits, true) == waits.end());
        }
    }));
    CHECK((legal > 100 && shorter > 10 && fewer_copies > 10));
}

TEST_CASE("a copy out that nobody fetches is dropped with its discard, the one that is fetched is kept",
          "[drop_unread]") {
    dataflow_builder builder;
    auto const first = builder.add_operation(1), second = builder.add_operation(1), last = builder.add_operation(1);
    auto const x = builder.add_value(first, 8);
    builder.add_read(second, x);
    auto const y = builder.add_value(second, 4);
    builder.add_read(last, x);
    builder.add_read(last, y);
    auto const flow = std::move(builder).build();
    auto const made = [&](bool with_unread) {
        schedule_builder plan(flow);
        plan.compute(first);
        plan.offload(x);
        plan.compute(second);
        if (with_unread) plan.offload(y);
        plan.discard(x);
        plan.prefetch(x);
        if (with_unread) plan.discard(y, pool::host);
        plan.compute(last);
        return std::move(plan).finish();
    };
    CHECK(detail::drop_unread(flow, made(true)) == made(false));
    CHECK(detail::drop_unread(flow, made(false)) == made(false));
}

TEST_CASE("a copy that a dropped computation ended does not keep its place on the host", "[drop_unread]") {
    dataflow_builder builder;
    auto const a = builder.add_operation(1), b = builder.add_operation(1), slow = builder.add_operation(100),
               early = builder.add_operation(1), last = builder.add_operation(1);
    auto const x = builder.add_value(a, 10), y = builder.add_value(b, 10), l = builder.add_value(slow, 0);
    builder.add_read(early, x);
    for (auto const value : {x, y, l}) builder.add_read(last, value);
    auto const flow = std::move(builder).build();
    schedule_builder plan(flow);
    auto const fetched = [&](value_index value) {
        plan.offload(value);
        plan.discard(value);
        plan.prefetch(value);
    };
    plan.compute(a);
    plan.compute(b);
    fetched(x);
    plan.compute(early);
    plan.discard(x);
    plan.compute(a);  // ends the copy; nobody reads it
    plan.offload(x);  // nor fetches that
    plan.discard(x);
    plan.discard(x, pool::host);
    plan.compute(slow);
    plan.compute(a);
    fetched(y);
    plan.compute(last);
    auto const given = std::move(plan).finish();
    lanes_clock const lanes({.size = 1, .time = 1, .latency = 1});
    auto const made = detail::drop_unread(flow, given);
    CHECK(replay(flow, given, {}, lanes).time == 127);
    CHECK(replay(flow, made, {}, lanes).time == 126);
    CHECK(replay(flow, made).recomputations == 1);
}
