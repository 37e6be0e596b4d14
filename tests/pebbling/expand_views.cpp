// Covers pebbling/detail/expand_views.hpp, pebbling/make_schedule.hpp, pebbling/replay.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/dataflow/detail/contract_views.hpp>
#include <repebble/pebbling/detail/expand_views.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"
#include "support/random_schedules.hpp"

using namespace repebble;
using support::below;
using support::split_mix;

namespace {

/// Whether an operation makes a view of something that it reads under two names: then it may be seen in two storages,
/// an old and a new one, of which the contracted flow may choose the other.
auto looks_at_something_twice(dataflow const& flow) -> bool {
    for (operation_index v = 0; v < flow.operation_count(); ++v) {
        std::vector<value_index> owners;
        for (auto const x : flow.reads(v)) owners.insert(owners.end(), flow.owners(x).begin(), flow.owners(x).end());
        std::ranges::sort(owners);
        if (std::ranges::adjacent_find(owners) != owners.end() &&
            std::ranges::any_of(flow.writes(v), [&](value_index x) { return flow.is_view(x); }))
            return true;
    }
    return false;
}

}  // namespace

TEST_CASE("liveness on the contracted flow, expanded: legal, same time, same peak", "[expand_views][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        split_mix random(seed);
        for (int i = 0; i < 20; ++i) {
            auto const flow = support::any_dataflow(random, 14, 50);
            auto const contracted = detail::contract_views(flow);
            auto const order = support::random_compute_order(random, contracted.flow(), below(random, 10));
            auto const plan = make_schedule(contracted.flow(), order);
            auto const small = replay(contracted.flow(), plan);
            auto const large = replay(flow, detail::expand_views(flow, contracted, plan));
            RC_ASSERT(small.time == large.time);
            // A merged view counts in the time of everything once, also where only some alternatives read it.
            RC_ASSERT(small.overhead <= large.overhead);
            RC_ASSERT(small.peak == large.peak || looks_at_something_twice(flow));
        }
    }));
}

TEST_CASE("any legal schedule of the contracted flow, expanded, is legal with the same peak",
          "[expand_views][property]") {
    std::size_t legal = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        split_mix random(seed);
        for (int i = 0; i < 10; ++i) {
            auto const flow = support::any_dataflow(random, 14, 50);
            auto const contracted = detail::contract_views(flow);
            auto const plan = support::random_schedule(random, contracted.flow(), below(random, 100));
            auto const small = verify_schedule(contracted.flow(), plan);
            if (!small) continue;
            auto const large = verify_schedule(flow, detail::expand_views(flow, contracted, plan));
            if (!large) {
                RC_ASSERT(large.broken->broken == rule::overwrites_last);  // what is read by two names
                continue;
            }
            ++legal;
            RC_ASSERT(small.result.peak == large.result.peak || looks_at_something_twice(flow));
        }
    }));
    CHECK(legal > 75);
}

namespace {

constexpr operation_index maker = 0, first_view_maker = 1, second_view_maker = 2, last_reader = 3;

/// a and b (4 and 2 bytes) by one operation, a view of both, a view of that, and a reader (1 byte) of the last.
auto view_of_a_view() -> dataflow {
    dataflow_builder builder;
    for (int i = 0; i < 4; ++i) builder.add_operation(1);
    std::vector<value_index> const owners{builder.add_value(maker, 4), builder.add_value(maker, 2)};
    std::vector<value_index> const view{builder.add_view(first_view_maker, owners)};
    std::vector<value_index> const second{builder.add_view(second_view_maker, view)};
    builder.add_value(last_reader, 1);
    for (auto const x : owners) builder.add_read(first_view_maker, x);
    builder.add_read(second_view_maker, view.front());
    builder.add_read(last_reader, second.front());
    return std::move(builder).build();
}

}  // namespace

TEST_CASE("views come back when all that they look at is back from the host", "[expand_views]") {
    auto const flow = view_of_a_view();
    auto const contracted = detail::contract_views(flow);
    REQUIRE(contracted.flow().operation_count() == 2);
    schedule_builder plan(contracted.flow());
    plan.compute(0);
    plan.offload(0);
    plan.discard(0);  // takes the views along
    plan.prefetch(0);
    plan.compute(1);
    auto const expanded = detail::expand_views(flow, contracted, std::move(plan).finish());
    schedule_builder expected(flow);
    for (operation_index const v : {maker, first_view_maker, second_view_maker}) expected.compute(v);
    expected.offload(0);
    for (value_index const x : {2U, 3U, 0U}) expected.discard(x);
    expected.prefetch(0);
    for (operation_index const v : {first_view_maker, second_view_maker, last_reader}) expected.compute(v);
    CHECK(expanded == std::move(expected).finish());
    CHECK(replay(flow, expanded).peak == 7);
}

TEST_CASE("a result is written over the view by which the value is read", "[expand_views]") {
    dataflow_builder builder;
    for (int i = 0; i < 3; ++i) builder.add_operation(1);
    std::vector<value_index> const owner{builder.add_value(0, 4)};
    auto const view = builder.add_view(1, owner);
    builder.add_value(2, 4);
    builder.add_read(1, owner.front());
    builder.add_read(2, view);
    auto const flow = std::move(builder).build();
    auto const contracted = detail::contract_views(flow);
    schedule_builder plan(contracted.flow());
    plan.compute(0);
    plan.compute_in_place(1, 0, 0);
    auto const expanded = detail::expand_views(flow, contracted, std::move(plan).finish());
    CHECK(replay(flow, expanded, {.profile = true}).profile == std::vector<bytes>{4, 4, 4, 4});
    CHECK(expanded.steps.back().over == 1);
}
