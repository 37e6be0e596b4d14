// Covers execute/bind_schedule.hpp, execute/bound_schedule.hpp.
#include <utility>
#include <vector>

#include <repebble/execute/bind_schedule.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>

#include "support/catch.hpp"
#include "support/throws.hpp"

using namespace repebble;

namespace {

/// Operation 0 writes 8 bytes, of which 1 makes a view; 2 reads the view and writes 8 bytes, 3 reads those.
auto flow_with_view() -> dataflow<> {
    dataflow_builder<> builder;
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

auto plan_in_place(dataflow<> const& flow) -> schedule<> {
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
    auto const arena = plan_arena(flow, std::move(other).finish());
    CHECK(support::throws<bad_arena>([&] { return bind_schedule(flow, plan, arena); }, {"buffers"}));
}

TEST_CASE("an arena in which two things overlap is refused", "[execute]") {
    auto const flow = flow_with_view();
    auto const plan = plan_in_place(flow);
    auto arena = plan_arena(flow, plan);
    arena.offsets.assign(arena.offsets.size(), 0);
    CHECK(support::throws<bad_arena>([&] { return bind_schedule(flow, plan, arena); }, {"overlap"}));
}

TEST_CASE("an arena smaller than its buffers is rejected", "[execute]") {
    auto const flow = flow_with_view();
    auto const plan = plan_in_place(flow);
    auto arena = plan_arena(flow, plan);
    arena.size -= 1;
    CHECK(support::throws<bad_arena>([&] { return bind_schedule(flow, plan, arena); }, {"reach to 16"}));
}

TEST_CASE("the peak of a bound schedule is the replay's, whatever the arena", "[execute]") {
    auto const flow = flow_with_view();
    auto const plan = plan_in_place(flow);
    auto arena = plan_arena(flow, plan);
    arena.peak = 1;
    CHECK(bind_schedule(flow, plan, arena).peak() == 16);
}

TEST_CASE("an illegal schedule is not bound", "[execute]") {
    auto const flow = flow_with_view();
    schedule_builder plan(flow);
    plan.compute(2);
    CHECK_THROWS_AS(bind_schedule(flow, std::move(plan).finish()), illegal_schedule);
}
