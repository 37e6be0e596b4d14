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
