// Covers graph/training/value_policies.hpp, pebbling/verify_policies.hpp.
#include <utility>

#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/training/value_policies.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/pebbling/verify_policies.hpp>

#include "support/catch.hpp"

using namespace repebble;

TEST_CASE("a copy on the host that a recomputation ends is not kept for the backward pass", "[verify_policies]") {
    dataflow_builder builder;
    for (int i = 0; i < 3; ++i) builder.add_operation(1);
    auto const x = builder.add_value(0, 1);
    auto const y = builder.add_value(1, 1);
    builder.add_value(2, 1);
    builder.add_read(1, x);
    builder.add_read(2, x);
    builder.add_read(2, y);
    auto const flow = std::move(builder).build();
    value_policies const policies{.must_recompute = {{0, 0}}, .backward = {2}};
    auto const with_copy = [&](bool ends) {
        schedule_builder plan(flow);
        plan.compute(0);
        plan.offload(x);
        plan.compute(1);
        if (ends) plan.compute(0);
        plan.discard(x);
        if (ends) plan.compute(0);
        if (!ends) plan.prefetch(x);
        plan.compute(2);
        return std::move(plan).finish();
    };
    CHECK(verify_schedule(flow, with_copy(true)));
    CHECK(verify_policies(flow, with_copy(true), policies));
    CHECK(verify_schedule(flow, with_copy(false)));
    CHECK_FALSE(verify_policies(flow, with_copy(false), policies));
}

TEST_CASE("an input of the backward pass, which is there before all, does not begin it", "[verify_policies]") {
    dataflow_builder builder;
    for (int i = 0; i < 2; ++i) builder.add_operation(1);
    auto const tangent = builder.add_value(builder.add_input(), 1);
    auto const backward = builder.add_operation(1);
    auto const x = builder.add_value(0, 1);
    builder.add_read(1, x);
    for (auto const value : {x, builder.add_value(1, 1), tangent}) builder.add_read(backward, value);
    builder.add_value(backward, 1);
    auto const flow = std::move(builder).build();
    value_policies const policies{.must_recompute = {{0, 0}}, .backward = {2, backward}};
    for (bool const again : {true, false}) {
        schedule_builder plan(flow);
        for (operation_index const v : {2U, 0U, 1U}) plan.compute(v);
        if (again) plan.discard(x);
        if (again) plan.compute(0);
        plan.compute(backward);
        auto const made = std::move(plan).finish();
        CHECK(verify_schedule(flow, made));
        CHECK(static_cast<bool>(verify_policies(flow, made, policies)) == again);
    }
}
