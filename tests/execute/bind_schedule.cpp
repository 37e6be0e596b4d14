// Covers execute/bind_schedule.hpp, execute/bound_schedule.hpp.
#include <span>
#include <utility>
#include <vector>

#include <repebble/execute/bind_schedule.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/pebbling/violation.hpp>

#include "support/catch.hpp"
#include "support/throws.hpp"

using namespace repebble;

namespace {

/// Operation 0 writes 8 bytes, of which 1 makes a view; 2 reads the view and writes 8 bytes, 3 reads those.
auto flow_with_view() -> dataflow {
    dataflow_builder builder;
    for (int v = 0; v < 4; ++v) builder.add_operation(1, v == 2 ? 4 : 0);
    auto const a = builder.add_value(0, 8);
    builder.add_read(1, a);
    auto const view = builder.add_view(1, std::vector{a});
    builder.add_read(2, view);
    auto const b = builder.add_value(2, 8);
    builder.add_read(3, b);
    builder.add_value(3, 8);
    return std::move(builder).build();
}

auto plan_in_place(dataflow const& flow) -> schedule<> {
    schedule_builder plan(flow);
    plan.compute(0);
    plan.compute(1);
    plan.discard(0);
    plan.compute_in_place(2, 0, 1);  // over the view, which alone refers to the storage
    plan.compute(3);
    return std::move(plan).finish();
}

}  // namespace

TEST_CASE("a bound schedule has the address of everything that a step touches", "[execute]") {
    auto const flow = flow_with_view();
    auto const bound = bind_schedule(flow, plan_in_place(flow), {.alignment = 4});
    REQUIRE(bound.step_count() == 5);
    auto const made = bound[0].writes.front();
    CHECK(made.what == instance{0, 0});
    CHECK(bound[0].begins.size() == 1);
    CHECK(bound[1].begins.empty());
    CHECK(bound[1].writes.front() == placed_value{{1, 0}, 0, made.where});  // a view lies in its owner's storage
    CHECK(bound[2].ends.empty());                                           // the view still refers to it
    CHECK(bound[3].reads.front() == placed_value{{1, 0}, 0, made.where});
    CHECK(bound[3].writes.front() == placed_value{{2, 0}, 2, made.where});  // in place
    CHECK(bound[3].in_place);
    REQUIRE(bound[3].workspace);
    CHECK(bound[3].workspace->size == 4);
    CHECK(bound[4].writes.front().where.offset != made.where.offset);
    CHECK(bound.size(pool::device) == 16);
    CHECK(bound.alignment(pool::device) == 4);
    CHECK(bound.peak() == 16);
    CHECK(bound.size(pool::host) == 0);
}

TEST_CASE("an arena of another schedule is refused", "[execute]") {
    auto const flow = flow_with_view();
    auto const plan = plan_in_place(flow);
    schedule_builder other(flow);
    for (operation_index v = 0; v < 4; ++v) other.compute(v);
    auto const arena = make_arena(flow, std::move(other).finish());
    CHECK(support::throws<bad_arena>([&] { return bind_schedule(flow, plan, arena); }, {"buffers"}));
}

TEST_CASE("an arena with the same buffers for other values is refused", "[execute]") {
    dataflow_builder builder;
    for (int v = 0; v < 2; ++v) builder.add_value(builder.add_operation(1), 8);
    auto const flow = std::move(builder).build();
    auto const order = [&](operation_index first, operation_index second) {
        schedule_builder plan(flow);
        plan.compute(first);
        plan.compute(second);
        return std::move(plan).finish();
    };
    auto const arena = make_arena(flow, order(1, 0));
    CHECK(bind_schedule(flow, order(1, 0), arena).step_count() == 2);
    CHECK(support::throws<bad_arena>([&] { return bind_schedule(flow, order(0, 1), arena); }, {"another schedule"}));
}

TEST_CASE("an arena in which two things overlap is refused", "[execute]") {
    auto const flow = flow_with_view();
    auto const plan = plan_in_place(flow);
    auto arena = make_arena(flow, plan);
    arena.offsets.assign(arena.offsets.size(), 0);
    CHECK(support::throws<bad_arena>([&] { return bind_schedule(flow, plan, arena); }, {"overlap"}));
}

TEST_CASE("an arena smaller than its buffers is rejected", "[execute]") {
    auto const flow = flow_with_view();
    auto const plan = plan_in_place(flow);
    auto arena = make_arena(flow, plan);
    arena.size -= 1;
    CHECK(support::throws<bad_arena>([&] { return bind_schedule(flow, plan, arena); }, {"reach to 16"}));
}

TEST_CASE("the peak of a bound schedule is the replay's, whatever the arena", "[execute]") {
    auto const flow = flow_with_view();
    auto const plan = plan_in_place(flow);
    auto arena = make_arena(flow, plan);
    arena.peak = 1;
    CHECK(bind_schedule(flow, plan, arena).peak() == 16);
}

TEST_CASE("an illegal schedule is not bound", "[execute]") {
    auto const flow = flow_with_view();
    schedule_builder plan(flow);
    plan.compute(2);
    CHECK_THROWS_AS(bind_schedule(flow, std::move(plan).finish()), illegal_schedule);
}

TEST_CASE("operands have addresses in the order of the arguments, with repetitions", "[execute]") {
    dataflow_builder builder;
    for (int v = 0; v < 4; ++v) builder.add_operation(1);
    auto const a = builder.add_value(0, 8);
    auto const b = builder.add_value(1, 4);
    auto const both = builder.add_view(2, std::vector{a, b});
    builder.add_value(3, 8);
    for (auto const value : {a, b}) builder.add_read(2, value);
    for (auto const value : {b, both, a, b}) builder.add_read(3, value);
    auto const flow = std::move(builder).build();
    schedule_builder plan(flow);
    for (operation_index v = 0; v < 4; ++v) plan.compute(v);
    auto const bound = bind_schedule(flow, std::move(plan).finish());
    auto const values = [](std::span<placed_value const> placed) {
        std::vector<std::pair<value_index, value_index>> all;  // with the owner
        for (auto const& p : placed) all.emplace_back(p.what.value, p.owner);
        return all;
    };
    using pairs = std::vector<std::pair<value_index, value_index>>;
    CHECK(values(bound[3].reads) == pairs{{a, a}, {b, b}, {both, a}, {both, b}});
    CHECK(values(bound[3].operands) == pairs{{b, b}, {both, a}, {both, b}, {a, a}, {b, b}});
    CHECK(bound[3].operands[0].where == bound[1].writes[0].where);
    CHECK(bound[3].operands[0] == bound[3].operands[4]);
    CHECK(bound[2].operands.data() == bound[2].reads.data());  // the same order
    CHECK((bound[2].operands.size() == 2 && bound[0].operands.empty()));
}

TEST_CASE("a mutation is bound to the block that it overwrites, and results to their last", "[execute]") {
    dataflow_builder builder;
    auto const state = builder.add_value(builder.add_input(), 8);
    builder.add_operation(1);
    auto const changed = builder.add_value(1, 6);
    builder.add_read(1, state);
    builder.add_mutation(1, 0, state);
    builder.add_result(changed);
    auto const flow = std::move(builder).build();
    schedule_builder plan(flow);
    plan.compute(0);
    plan.compute(1);
    auto const bound = bind_schedule(flow, std::move(plan).finish());
    CHECK(bound[0].writes.front() == placed_value{{state, 0}, state, {0, 8}});
    CHECK(bound[0].begins.size() == 1);
    CHECK(bound[1].writes.front() == placed_value{{changed, 0}, changed, {0, 6}});
    CHECK((bound[1].begins.empty() && bound[1].ends.empty() && !bound[1].in_place));
    REQUIRE(bound.results().size() == 1);
    CHECK(bound.results().front() == bound[1].writes.front());
    CHECK(bound.size(pool::device) == 8);
}
