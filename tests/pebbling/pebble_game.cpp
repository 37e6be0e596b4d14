// Covers pebbling/pebble_game.hpp, pebbling/replay.hpp, pebbling/storage_pool.hpp.
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/pebbling/replay.hpp>

#include "support/catch.hpp"

// One test for each point of the model; figures by hand.

using namespace repebble;

namespace {

using profile = std::vector<bytes>;

/// Operations 0, 1, … read the values that the rows list and write one value each, of the given bytes; time 1 each.
auto flow_of(std::vector<std::vector<value_index>> const& reads, std::vector<bytes> const& sizes) -> dataflow {
    dataflow_builder builder;
    for (auto const size : sizes) builder.add_value(builder.add_operation(1), size);
    for (operation_index v = 0; v < reads.size(); ++v)
        for (auto const x : reads[v]) builder.add_read(v, x);
    return std::move(builder).build();
}

}  // namespace

TEST_CASE("discarding outputs one by one lowers the peak", "[model]") {
    // One operation writes 5 and 3 bytes; only the 3 are read, after a detour of 4 bytes.
    auto const two_outputs = [](bool told_apart) {
        dataflow_builder builder;
        for (int i = 0; i < 3; ++i) builder.add_operation(1);
        auto const large = builder.add_value(0, 5);
        auto const small = builder.add_value(0, 3);
        auto const detour = builder.add_value(1, 4);
        builder.add_value(2, 1);
        builder.add_read(2, small);
        builder.add_read(2, detour);
        if (!told_apart) builder.add_read(2, large);
        auto const flow = std::move(builder).build();
        schedule_builder plan(flow);
        plan.compute(0);
        if (told_apart) plan.discard(large);
        plan.compute(1);
        plan.compute(2);
        return replay(flow, std::move(plan).finish()).peak;
    };
    CHECK(two_outputs(true) == 8);    // 5 + 3; then 3 + 4 + 1
    CHECK(two_outputs(false) == 13);  // 5 + 3 + 4 + 1
}

namespace {

constexpr operation_index owner = 0, view_maker = 1, detour = 2, view_reader = 3;

/// 4 bytes, a view of them, a detour of 10 bytes that reads nothing, and a reader of the view of 1 byte.
auto view_flow() -> dataflow {
    dataflow_builder builder;
    for (int i = 0; i < 4; ++i) builder.add_operation(1);
    std::vector<value_index> const viewed{builder.add_value(owner, 4)};
    auto const view = builder.add_view(view_maker, viewed);
    builder.add_value(detour, 10);
    builder.add_value(view_reader, 1);
    builder.add_read(view_maker, viewed.front());
    builder.add_read(view_reader, view);
    return std::move(builder).build();
}

}  // namespace

TEST_CASE("a view keeps the storage of its owner alive after the owner is discarded", "[model]") {
    auto const flow = view_flow();
    schedule_builder plan(flow);
    plan.compute(owner);
    plan.compute(view_maker);
    plan.discard(0);
    plan.compute(detour);
    plan.compute(view_reader);
    plan.discard(1);  // now the 4 bytes go
    plan.compute(detour);
    auto const result = replay(flow, std::move(plan).finish(), {.profile = true});
    CHECK(result.profile == profile{4, 4, 4, 14, 15, 15, 21});
}

TEST_CASE("computing anew while an old view is alive makes a new instance beside the old one", "[model]") {
    auto const flow = view_flow();
    schedule_builder plan(flow);
    plan.compute(owner);
    plan.compute(view_maker);
    plan.compute(owner);       // 4 + 4, and both stay: the view looks at the old ones
    plan.compute(detour);      // + 10
    plan.compute(view_maker);  // now it looks at the new ones
    plan.compute(view_reader);
    auto const result = replay(flow, std::move(plan).finish(), {.profile = true});
    CHECK(result.profile == profile{4, 4, 8, 18, 18, 15});
    CHECK(result.recomputations == 2);
}

TEST_CASE("an output that is still resident is replaced when the step ends", "[model]") {
    auto const flow = flow_of({{}, {0}}, {4, 1});
    schedule_builder plan(flow);
    plan.compute(0);
    plan.compute(0);
    plan.compute(1);
    CHECK(replay(flow, std::move(plan).finish(), {.profile = true}).profile == profile{4, 8, 5});
}

TEST_CASE("a result written in place takes over the storage, with its size", "[model]") {
    auto const flow = flow_of({{}, {0}, {1}}, {4, 3, 4});
    schedule_builder plan(flow);
    plan.compute(0);
    plan.compute_in_place(1, 0, 0);
    plan.compute_in_place(2, 0, 1);  // the storage has 4 bytes, though its value had 3
    auto const plan_in_place = std::move(plan).finish();
    auto const result = replay(flow, plan_in_place, {.profile = true});
    CHECK(result.profile == profile{4, 4, 4});
    CHECK(verify_schedule(flow, plan_in_place, {.resident_at_end = {2}}));
    CHECK(!verify_schedule(flow, plan_in_place, {.resident_at_end = {1}}));
}

TEST_CASE("the last view of a storage can be written over after its owner is discarded", "[model]") {
    auto const flow = view_flow();
    schedule_builder plan(flow);
    plan.compute(owner);
    plan.compute(view_maker);
    plan.discard(0);
    plan.compute_in_place(view_reader, 0, 1);
    plan.compute(detour);
    CHECK(replay(flow, std::move(plan).finish(), {.profile = true}).profile == profile{4, 4, 4, 4, 14});
}

TEST_CASE("a view of several storages cannot be written over", "[model]") {
    dataflow_builder builder;
    for (int i = 0; i < 3; ++i) builder.add_operation(1);
    std::vector<value_index> const owners{builder.add_value(0, 4), builder.add_value(0, 4)};
    auto const view = builder.add_view(1, owners);
    builder.add_value(2, 1);
    for (auto const x : owners) builder.add_read(1, x);
    builder.add_read(2, view);
    auto const flow = std::move(builder).build();
    schedule_builder plan(flow);
    plan.compute(0);
    plan.compute(1);
    for (auto const x : owners) plan.discard(x);
    plan.compute_in_place(2, 0, view);
    auto const broken = verify_schedule(flow, std::move(plan).finish()).broken;
    REQUIRE(broken);
    CHECK(broken->broken == rule::overwrites_last);
}

TEST_CASE("a storage that another output of the same step views cannot be written over", "[model]") {
    dataflow_builder builder;
    builder.add_operation(1);
    builder.add_operation(1);
    std::vector<value_index> const viewed{builder.add_value(0, 4)};
    builder.add_value(1, 4);
    builder.add_view(1, viewed);
    builder.add_read(1, viewed.front());
    auto const flow = std::move(builder).build();
    schedule_builder plan(flow);
    plan.compute(0);
    plan.compute_in_place(1, 0, 0);
    auto const broken = verify_schedule(flow, std::move(plan).finish()).broken;
    REQUIRE(broken);
    CHECK(broken->broken == rule::overwrites_last);
}

TEST_CASE("a workspace counts in its own step only", "[model]") {
    dataflow_builder builder;
    builder.add_value(builder.add_operation(1, 7), 2);
    builder.add_value(builder.add_operation(1), 2);
    auto const flow = std::move(builder).build();
    schedule_builder plan(flow);
    plan.compute(0);
    plan.compute(1);
    auto const result = replay(flow, std::move(plan).finish(), {.profile = true});
    CHECK(result.profile == profile{9, 4});
    CHECK(result.peak == 9);
    CHECK(result.peak_step == 0);
}

TEST_CASE("of several producers any one will do, and the cheapest counts", "[model]") {
    dataflow_builder builder;
    for (std::int64_t const time : {7, 2, 1}) builder.add_operation(time);
    auto const value = builder.add_value(0, 3);
    builder.add_producer(1, value);
    builder.add_value(2, 1);
    builder.add_read(2, value);
    auto const flow = std::move(builder).build();
    CHECK(flow.time_once() == 3);
    for (operation_index const producer : {0U, 1U}) {
        schedule_builder plan(flow);
        plan.compute(producer);
        plan.compute(2);
        auto const result = replay(flow, std::move(plan).finish());
        CHECK(result.overhead == (producer == 0 ? 5 : 0));
        CHECK(result.recomputations == 0);
    }
    // The second producer computes the value a second time, but does not itself run a second time.
    schedule_builder both(flow);
    both.compute(0);
    both.compute(1);
    both.discard(value);
    auto const plan = std::move(both).finish();
    CHECK(plan.steps.back().repetition == 1);
    auto const [result, broken] = verify_schedule(flow, plan, {.profile = true});
    CHECK(result.profile == profile{3, 6, 3});
    REQUIRE(broken);
    CHECK(broken->broken == rule::complete);
}

TEST_CASE("a sink is complete when alternative producers have computed its values", "[model]") {
    dataflow_builder builder;
    for (int i = 0; i < 2; ++i) builder.add_operation(1);
    auto const shared = builder.add_value(0, 1);
    builder.add_value(0, 1);
    builder.add_producer(1, shared);
    auto const flow = std::move(builder).build();
    CHECK(verify_schedule(flow, schedule<>{{{.vertex = 0}}}));
    CHECK(!verify_schedule(flow, schedule<>{{{.vertex = 1}}}));  // the other output is never computed
}

TEST_CASE("an operation whose only readers are left to an alternative need not run", "[model]") {
    dataflow_builder builder;
    for (int i = 0; i < 3; ++i) builder.add_operation(1);
    builder.add_read(1, builder.add_value(0, 1));
    builder.add_producer(2, builder.add_value(1, 1));
    auto const flow = std::move(builder).build();
    CHECK(verify_schedule(flow, schedule<>{{{.vertex = 2}}}));
}

TEST_CASE("values of no bytes and operations without outputs play along", "[model]") {
    dataflow_builder builder;
    for (int i = 0; i < 2; ++i) builder.add_operation(1);
    builder.add_read(1, builder.add_value(0, 0));
    auto const flow = std::move(builder).build();
    CHECK(verify_schedule(flow, schedule<>{{{.vertex = 0}, {.vertex = 1}}}).result.peak == 0);
    CHECK(verify_schedule(flow, schedule<>{{{.vertex = 0}}}).broken->vertex == 1);
}

TEST_CASE("bytes that overflow while both instances are there are an error, not a peak", "[model]") {
    constexpr auto most = std::numeric_limits<bytes>::max();
    auto const flow = flow_of({{}}, {most});
    CHECK(replay(flow, schedule<>{{{.vertex = 0}}}).peak == most);
    CHECK_THROWS_AS(verify_schedule(flow, schedule<>{{{.vertex = 0}, {.repetition = 1, .vertex = 0}}}), bad_weight);
    // Two instances fit, and do not beside the workspace.
    dataflow_builder builder;
    builder.add_value(builder.add_operation(1, most / 2), most / 4 + 2);
    auto const with_workspace = std::move(builder).build();
    CHECK(replay(with_workspace, schedule<>{{{.vertex = 0}}}).peak == most / 4 + 2 + most / 2);
    CHECK_THROWS_AS(verify_schedule(with_workspace, schedule<>{{{.vertex = 0}, {.repetition = 1, .vertex = 0}}}),
                    bad_weight);
}

TEST_CASE("an empty flow and an empty schedule cost nothing", "[model]") {
    CHECK(replay(dataflow{}, schedule<>{}, {.profile = true}) == replay_result{});
}
