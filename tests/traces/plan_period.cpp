// Covers traces/plan_period.hpp.
#include <cstdint>
#include <set>
#include <string>

#include <rapidcheck.h>

#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/plan.hpp>
#include <repebble/traces/kmeans_trace.hpp>
#include <repebble/traces/plan_period.hpp>
#include <repebble/traces/traced_dataflow.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/throws.hpp"
#include "traces/hand_traces.hpp"
#include "traces/naive_lanes.hpp"

using namespace repebble;

namespace {

/// Inputs of 10 bytes, each read by an operation of 10 time units, one after the other.
auto read_in_turn(int count) -> dataflow {
    dataflow_builder b;
    for (int k = 0; k < count; ++k) b.add_result(b.add_value(b.add_input(), 10));
    for (int k = 0; k < count; ++k) {
        auto const v = b.add_operation(10);
        b.add_read(v, static_cast<value_index>(k));
        if (k > 0) b.add_control_edge(v - 1, v);
    }
    return std::move(b).build();
}

/// "" or why a period is none within the limit, or does not end in the state in which it began: results are the inputs
/// of the next one.
auto period_fault(dataflow const& flow, periodic_plan const& found, bytes limit, host_link const& link) -> std::string {
    std::set<value_index> const away(found.away.begin(), found.away.end());
    support::naive_lanes judge(flow, link, away);
    judge.play(found.steps);
    std::set<value_index> staying(flow.results().begin(), flow.results().end());
    for (auto const value : away) staying.erase(value);
    if (!judge.is_legal) return "a step breaks a rule";
    if (judge.peak > limit) return "it does not fit";
    if (judge.device != staying) return "its end has other values on the device";
    if (judge.host != away) return "its end has other values on the host";
    if (judge.time() != found.cost.time) return "it takes " + std::to_string(judge.time());
    if (judge.once != flow.time_once()) return "everything once takes " + std::to_string(judge.once);
    if (found.cost.peak != judge.peak) return "its peak is " + std::to_string(judge.peak);
    return found.cost.overhead < found.lower_bound ? "its bound is above its overhead" : "";
}

}  // namespace

TEST_CASE("what is read in turn goes round in two thirds of its memory without a wait", "[plan_period]") {
    auto const flow = read_in_turn(3);
    host_link const link{.size = 1, .time = 1};
    auto const found = plan_period(flow, 20, {.limits = {.work = 1'000}, .link = link});
    REQUIRE(found);
    // One of three waits on the device; while an operation runs, what the next one reads is copied in.
    CHECK(found->away == std::vector<value_index>{1, 2});
    CHECK(found->cost.time == 30);
    CHECK(found->cost.overhead == 0);
    CHECK(found->cost.bytes_in == 30);
    CHECK(found->cost.bytes_out == 10);  // of the one that stays: the host has no copy of that
    CHECK(found->cost.peak == 20);
    CHECK(period_fault(flow, *found, 20, link) == "");
    // Where one of them fits, copies and operations take turns; where all fit, none is copied.
    CHECK(plan_period(flow, 10, {.limits = {.work = 1'000}, .link = link})->cost.time == 60);
    CHECK(plan_period(flow, 30, {.limits = {.work = 1'000}, .link = link})->away.empty());
    CHECK(!plan_period(flow, 9, {.limits = {.work = 1'000}, .link = link}));
}

TEST_CASE("inputs may be away that are read, and that nothing overwrites", "[plan_period]") {
    support::trace_by_hand t;
    auto const first = t.variable(8), second = t.variable(8), written = t.variable(8);
    static_cast<void>(t.variable(8));  // that nobody reads
    t.compute({second}, {});
    t.compute({first, second, written}, {written});
    auto const traced = make_traced_dataflow(swap_problem(t.finish()));
    CHECK(find_movable_inputs(traced.flow) == std::vector<value_index>{second, first});
    CHECK(support::throws<bad_option>([&] { return plan_period(traced.flow, 100, {}); }, {"link"}));
}

TEST_CASE("an iteration of k-means in 60 % of its memory can follow itself", "[plan_period]") {
    swap_problem const p(kmeans_trace({.points = 1 << 16, .dimensions = 64, .clusters = 256, .chunks = 8}));
    auto const traced = make_traced_dataflow(p);
    host_link const link{.size = 12, .time = 1};
    auto const limit = p.peak() * 6 / 10;
    plan_options const options{.limits = {.work = 2'000}, .link = link};
    CHECK(plan(traced.flow, limit, options).none_exists());
    auto const found = plan_period(traced.flow, limit, options);
    REQUIRE(found);
    CHECK(!found->away.empty());
    CHECK(period_fault(traced.flow, *found, limit, link) == "");
}

TEST_CASE("a period ends as it began", "[plan_period][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        dataflow_builder b;
        auto const inputs = support::between(random, 1, 5);
        for (std::int64_t k = 0; k < inputs; ++k)
            b.add_result(b.add_value(b.add_input(), support::between(random, 0, 9)));
        for (std::int64_t k = 0; k < 6; ++k) {
            auto const v = b.add_operation(support::between(random, 0, 9), support::between(random, 0, 3),
                                           support::chance(random, 50));
            for (value_index x = 0; x < inputs + k; ++x)
                if (support::chance(random, 30)) b.add_read(v, x);
            static_cast<void>(b.add_value(v, support::between(random, 0, 9)));
        }
        auto const flow = std::move(b).build();
        host_link const link{.size = 2, .time = 1, .latency = support::between(random, 0, 2)};
        auto const limit = support::between(random, 10, 60);
        auto const found = plan_period(flow, limit, {.limits = {.work = 200}, .link = link});
        if (found) RC_ASSERT(period_fault(flow, *found, limit, link) == "");
    }));
}
