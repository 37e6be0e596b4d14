// Covers graph/dataflow/detail/needed_operations.hpp, recompute/keep_all.hpp, plan.hpp.
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/dataflow/detail/needed_operations.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/verify_schedule.hpp>
#include <repebble/plan.hpp>
#include <repebble/recompute/keep_all.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

using namespace repebble;

namespace {

/// Layers of 50 units, whose gradients of 100 read their input, or a copy of a quarter of the bytes that one unit
/// makes.
auto layers_with_copies(int count) -> dataflow {
    dataflow_builder b;
    std::vector<value_index> inputs{b.add_value(b.add_operation(1, 0, false), 100)};
    for (int l = 0; l < count; ++l) {
        auto const layer = b.add_operation(50);
        b.add_read(layer, inputs.back());
        inputs.push_back(b.add_value(layer, 100));
    }
    auto const loss = b.add_operation(1);
    b.add_read(loss, inputs.back());
    auto gradient = b.add_value(loss, 100);
    for (int l = count; l-- > 0;) {
        auto const input = inputs[static_cast<std::size_t>(l)];
        auto const rounding = b.add_operation(1);
        b.add_read(rounding, input);
        auto const copy = b.add_value(rounding, 25);
        auto const of_input = b.add_operation(100), of_copy = b.add_operation(100);
        b.add_read(of_input, gradient);
        b.add_read(of_input, input);
        b.add_read(of_copy, gradient);
        b.add_read(of_copy, copy);
        gradient = b.add_value(of_input, 100);
        b.add_producer(of_copy, gradient);
    }
    return std::move(b).build();
}

/// Least time of a set of operations that makes a legal schedule, each once: by trying all sets.
auto least_of_all_sets(dataflow const& flow) -> std::int64_t {
    auto least = std::numeric_limits<std::int64_t>::max();
    for (std::uint32_t set = 0; set < 1U << flow.operation_count(); ++set) {
        std::vector<operation_index> some;
        std::int64_t time = 0;
        for (auto const v : flow.order())
            if ((set >> v & 1U) != 0) {
                some.push_back(v);
                time += flow.time(v);
            }
        if (time < least && verify_schedule(flow, make_schedule(flow, some))) least = time;
    }
    return least;
}

}  // namespace

TEST_CASE("copies that only some alternatives read are neither counted nor made where nothing is recomputed") {
    auto const flow = layers_with_copies(8);
    CHECK(flow.time_once() == 1202);
    auto const kept = keep_all(flow);
    CHECK(kept.cost.time == 1202);
    CHECK(kept.cost.overhead == 0);
    CHECK(kept.cost.peak == 1000);
}

TEST_CASE("plan: the fastest alternatives are proven least where they fit, and a smaller budget takes copies") {
    auto const flow = layers_with_copies(8);
    auto const full = plan(flow, 1000);
    REQUIRE(full.plan);
    CHECK(full.plan->cost.time == 1202);
    CHECK(full.proven);
    auto const half = plan(flow, 500);
    REQUIRE(half.plan);
    CHECK(half.plan->cost.time == 1209);
    CHECK(half.lower_bound >= 0);
}

TEST_CASE("no set of operations takes less than the time that every schedule takes, and the cheapest is legal",
          "[property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const flow = support::random_dataflow(random, {.operations = 9, .alternative_percent = 50});
        auto const least = least_of_all_sets(flow);
        RC_ASSERT(flow.time_once() <= least);
        auto const kept = keep_all(flow);
        RC_ASSERT(kept.cost.time >= least);
    }));
}
