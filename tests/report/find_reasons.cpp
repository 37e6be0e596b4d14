// Covers report/find_reasons.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/recompute/greedy_eviction.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/report/find_reasons.hpp>

#include "support/brute_force.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/random_full_dataflow.hpp"
#include "support/random_schedules.hpp"

using namespace repebble;

namespace {

/// Value 0 is let go, and comes back for operation 3.
auto returning_value() {
    std::vector<std::vector<int>> const net{{1, 3}, {2}, {3}, {}};
    auto flow = make_dataflow(net, weights{unit_weight{}, unit_weight{}});
    schedule_builder plan(flow);
    plan.compute(0);  // step 0
    plan.compute(1);
    plan.discard(0);  // 2
    plan.compute(2);  // two values are in memory here
    plan.discard(1);  // 4, and during this step
    plan.compute(0);  // 5
    plan.compute(3);
    return std::pair(std::move(flow), std::move(plan).finish());
}

}  // namespace

TEST_CASE("a result that runs again was gone from its discard on, and held it would have passed the budget",
          "[report]") {
    auto const [flow, plan] = returning_value();
    auto const found = report::find_reasons(flow, plan, 2);
    CHECK(found.profile == std::vector<bytes>{1, 2, 2, 2, 2, 2, 3});
    REQUIRE(found.reasons.size() == 1);
    auto const& r = found.reasons.front();
    CHECK(r.step == 5);
    CHECK(r.what == action::compute);
    CHECK(r.operation == 0);
    CHECK(r.value == 0);
    CHECK(r.gone_from == 2);
    CHECK(r.needed_at == std::size_t{6});
    CHECK(r.saved == 1);
    CHECK(r.tightest == 3);
    CHECK(r.if_held == 3);
    CHECK(r.steps_above == 2);
    CHECK(r.first_above == 3);
    CHECK(r.last_above == 4);
    CHECK(report::find_reasons(flow, plan, 3).reasons.front().steps_above == 0);
}

TEST_CASE("a result that is copied back has a reason like one that runs again", "[report]") {
    std::vector<std::vector<int>> const net{{1, 2}, {2}, {}};
    auto const flow = make_dataflow(net, weights{unit_weight{}, [](int) { return 5; }});
    schedule_builder plan(flow);
    plan.compute(0);
    plan.compute(1);
    plan.offload(0);
    plan.discard(0);              // 3
    plan.discard(0, pool::host);  // a copy on the host that goes is no departure from the device
    plan.compute(0);              // 5
    plan.offload(0);
    plan.discard(0);   // 7
    plan.prefetch(0);  // 8
    plan.compute(2);
    auto const found = report::find_reasons(flow, std::move(plan).finish(), 10);
    REQUIRE(found.reasons.size() == 2);
    CHECK(found.reasons[0].what == action::compute);
    CHECK(found.reasons[0].gone_from == 3);
    CHECK(found.reasons[1].what == action::prefetch);
    CHECK(found.reasons[1].value == 0);
    CHECK(found.reasons[1].gone_from == 7);
    CHECK(found.reasons[1].needed_at == std::size_t{9});
    CHECK(found.reasons[1].saved == 5);
    CHECK(found.reasons[1].if_held == 0);  // nothing is in between
}

TEST_CASE("a result's bytes are gone with its storage, which a view keeps", "[report]") {
    dataflow_builder builder;
    auto const owner = builder.add_operation(1), viewer = builder.add_operation(0), reader = builder.add_operation(1),
               last = builder.add_operation(1);
    auto const value = builder.add_value(owner, 8);
    auto const view = builder.add_view(viewer, std::vector{value});
    builder.add_read(viewer, value);
    builder.add_read(reader, view);
    static_cast<void>(builder.add_value(reader, 1));
    builder.add_read(last, value);
    static_cast<void>(builder.add_value(last, 1));
    auto const flow = std::move(builder).build();
    schedule_builder plan(flow);
    plan.compute(owner);
    plan.compute(viewer);
    plan.discard(value);  // 2: the view keeps the storage
    plan.compute(reader);
    plan.discard(view);  // 4
    plan.compute(owner);
    plan.compute(viewer);  // 6: again, though nobody reads it
    plan.compute(last);
    auto const found = report::find_reasons(flow, std::move(plan).finish(), 9);
    REQUIRE(found.reasons.size() == 2);
    CHECK(found.reasons[0].gone_from == 4);
    CHECK(found.reasons[0].saved == 8);
    CHECK(found.reasons[1].operation == viewer);
    CHECK(found.reasons[1].gone_from == 4);
    CHECK(found.reasons[1].saved == 0);
    CHECK(found.reasons[1].needed_at == std::nullopt);
}

TEST_CASE("a result that another is written over is gone from that step on", "[report]") {
    std::vector<std::vector<int>> const net{{1, 3}, {2}, {3}, {}};
    auto const flow = make_dataflow(net, weights{unit_weight{}, unit_weight{}});
    schedule_builder plan(flow);
    plan.compute(0);
    plan.compute_in_place(1, 0, 0);  // 1
    plan.compute_in_place(2, 0, 1);  // 2
    plan.compute(0);                 // 3
    plan.compute(3);
    auto const found = report::find_reasons(flow, std::move(plan).finish(), 1);
    REQUIRE(found.reasons.size() == 1);
    CHECK(found.reasons[0].value == 0);
    CHECK(found.reasons[0].gone_from == 1);
    CHECK(found.reasons[0].saved == 1);
    CHECK(found.reasons[0].if_held == 2);
    CHECK(found.reasons[0].tightest == 2);
}

namespace {

/// The same schedule in which the value of operation v stays from its discard, before step r, to the end of step r.
auto without_return(schedule<> const& plan, report::reason const& r) -> schedule<> {
    schedule<> held;
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        auto s = plan.steps[i];
        if (i == r.gone_from || i == r.step) continue;
        if (i > r.step && s.vertex == r.operation) --s.repetition;
        held.steps.push_back(s);
    }
    return held;
}

}  // namespace

TEST_CASE("the counterfactual is the profile of the schedule in which the result is held", "[report][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::random_weighted_dag(random, 9);
        auto const training = make_training_graph(g.graph, g.weights());
        auto const peak = keep_all(training).cost.peak;
        auto const plan = greedy_eviction(training, peak * 7 / 10, {.nearest = true});
        RC_PRE(plan.has_value());
        auto const budget = plan->cost.peak;
        auto const found = report::find_reasons(training.flow, plan->schedule, budget);
        RC_ASSERT(found.reasons.size() == plan->cost.recomputations);
        for (auto const& r : found.reasons) {
            if (plan->schedule.steps[r.gone_from].what != action::discard) continue;
            auto const held = replay(training.flow, without_return(plan->schedule, r), {.profile = true}).profile;
            bytes most = 0;
            std::size_t above = 0;
            for (auto k = r.gone_from + 1; k < r.step; ++k) {
                RC_ASSERT(held[k - 1] == found.profile[k] + r.saved);
                most = std::max(most, held[k - 1]);
                above += held[k - 1] > budget ? 1U : 0U;
            }
            RC_ASSERT(most == r.if_held);
            RC_ASSERT(above == r.steps_above);
        }
    }));
}

TEST_CASE("reasons are found of any legal schedule, one for each return", "[report][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const flow = support::random_full_dataflow(random);
        auto const plan = support::random_schedule(random, flow, 40);
        RC_PRE(verify_schedule(flow, plan));
        auto const found = report::find_reasons(flow, plan, 10);
        std::size_t returns = 0;
        for (auto const& s : plan.steps)
            returns += (s.what == action::compute && s.repetition > 0) || s.what == action::prefetch ? 1U : 0U;
        RC_ASSERT(found.reasons.size() == returns);
        for (auto const& r : found.reasons) {
            RC_ASSERT(r.gone_from <= r.step);
            RC_ASSERT(r.saved >= 0);
            RC_ASSERT((r.value != no_value || r.saved == 0));
            RC_ASSERT(r.needed_at.value_or(r.step + 1) > r.step);
            RC_ASSERT(r.steps_above < plan.steps.size());
        }
    }));
}

TEST_CASE("reasons: a value that a newer computation has replaced was never gone", "[reasons]") {
    dataflow_builder builder;
    builder.add_value(builder.add_operation(1), 4);
    auto const flow = std::move(builder).build();
    schedule_builder plan(flow);
    for (int k = 0; k < 3; ++k) plan.compute(0);
    auto const found = report::find_reasons(flow, std::move(plan).finish(), 10);
    REQUIRE(found.reasons.size() == 2);
    for (auto const& r : found.reasons) CHECK((r.saved == 0 && r.value == no_value));
}

TEST_CASE("reasons: what leaves with a step is in memory during it", "[reasons]") {
    dataflow_builder builder;
    auto const both = builder.add_operation(1), other = builder.add_operation(1);
    auto const x = builder.add_value(both, 4), y = builder.add_value(both, 2);
    builder.add_value(other, 3);
    auto const flow = std::move(builder).build();
    schedule_builder plan(flow);
    plan.compute(both);
    plan.discard(x);
    plan.discard(y);  // 2 bytes, and 4 that were held
    plan.compute(other);
    plan.compute(both);
    auto const found = report::find_reasons(flow, std::move(plan).finish(), 7);
    REQUIRE(found.reasons.size() == 1);
    auto const& r = found.reasons.front();
    CHECK((r.saved == 6 && r.if_held == 9 && r.tightest == 3 && r.steps_above == 1));
}
