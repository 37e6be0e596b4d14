// Covers plan.hpp, planner/automatic_plan.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <repebble/planner/find_least_budget.hpp>

#include "support/cases.hpp"
#include "support/catch.hpp"
#include "support/plan_promises.hpp"

using namespace repebble;

TEST_CASE("plan: of dataflows with every feature its plans, bounds, floor and proofs are true") {
    constexpr std::size_t most_states = 1500;
    plan_options const few_moves{.limits = {.work = 300}};
    std::size_t searched = 0, plans = 0, proven = 0, none = 0;
    for (std::uint64_t seed = 0; seed < support::cases(100); ++seed) {
        INFO("seed " << seed);
        support::split_mix random(seed);
        auto const flow = support::any_full_dataflow(random);
        auto const kept = replay(flow, make_schedule(flow));
        auto const floor = plan(flow, kept.peak, few_moves).floor.size;
        REQUIRE(floor <= kept.peak);
        auto const least = support::exhaustive_peak(flow, std::max<bytes>(0, floor - 2), kept.peak, most_states);
        if (least) CHECK(floor <= *least);
        auto const budget = support::between(random, floor, kept.peak);
        auto const truth = support::exhaustive_search(flow, budget, most_states);
        auto const found = plan(flow, budget, few_moves);
        CHECK(support::plan_fault(flow, budget, found, truth) == "");
        auto const curve = plan(flow, std::vector{floor, budget, kept.peak}, few_moves);
        CHECK(support::plan_fault(flow, budget, curve[1], truth) == "");
        CHECK(support::curve_fault(curve) == "");
        CHECK((curve[2].plan && curve[2].plan->cost.time <= kept.time));
        searched += truth.searched ? 1U : 0U;
        plans += found.plan ? 1U : 0U;
        proven += found.plan && found.proven ? 1U : 0U;
        none += !found.plan && found.proven ? 1U : 0U;
    }
    CHECK(searched > support::cases(55));
    CHECK(plans > support::cases(45));
    CHECK(proven > support::cases(35));
    CHECK(none > support::cases(12));
}

TEST_CASE("plan: what a search leaves behind the last result is no part of a plan") {
    // Two results, and a view of several values; operation 0 takes no time.
    dataflow_builder builder;
    builder.add_operation(0);
    builder.add_operation(3);
    builder.add_operation(2, 0, false);
    builder.add_operation(0);
    auto const x = builder.add_value(0, 4), y = builder.add_value(0, 1);
    auto const view = builder.add_view(1, std::vector{x, y});
    builder.add_result(builder.add_value(1, 4));
    builder.add_result(builder.add_value(2, 4));
    builder.add_value(3, 2);
    for (auto const read : {x, y}) builder.add_read(1, read);
    builder.add_read(3, view);
    builder.add_control_edge(1, 3);
    auto const flow = std::move(builder).build();
    std::size_t plans = 0;
    for (bytes budget = 8; budget <= 15; ++budget) {
        INFO(budget);
        auto const found = plan(flow, budget, {.limits = {.work = 300}});
        CHECK(support::plan_fault(flow, budget, found, support::exhaustive_search(flow, budget, 10'000)) == "");
        plans += found.plan ? 1U : 0U;
    }
    CHECK(plans > 4);
}

TEST_CASE("plan: a sink with a control edge to an operation that need not run is run") {
    // Either of two operations computes the last value; after the second comes nothing, before it a sink that must run.
    dataflow_builder builder;
    for (std::int64_t const time : {2, 3, 2, 5}) builder.add_operation(time);
    auto const x = builder.add_value(0, 4);
    builder.add_value(1, 1);
    auto const y = builder.add_value(2, 2);
    builder.add_producer(3, y);
    builder.add_read(1, x);
    builder.add_read(3, x);
    builder.add_control_edge(1, 3);
    auto const flow = std::move(builder).build();
    for (bytes budget = 0; budget <= 7; ++budget) {
        INFO(budget);
        auto const found = plan(flow, budget, {.limits = {.work = 300}});
        CHECK(found.plan.has_value() == (budget >= 5));
        CHECK(support::plan_fault(flow, budget, found, support::exhaustive_search(flow, budget, 10'000)) == "");
    }
}

TEST_CASE("plan: what a mutation overwrites is computed again, and mutated again, where nothing else fits") {
    // The result lies over x; beside it there is no room for the large value.
    dataflow_builder builder;
    for (std::int64_t const time : {5, 4, 3}) builder.add_operation(time);
    auto const x = builder.add_value(0, 12), result = builder.add_value(1, 10), small = builder.add_value(1, 2);
    builder.add_value(2, 20);
    builder.add_read(1, x);
    builder.add_read(2, small);
    builder.add_mutation(1, 0, x);
    builder.add_result(result);
    auto const flow = std::move(builder).build();
    CHECK(plan(flow, 34, {.limits = {.work = 300}}).plan->cost.overhead == 0);
    auto const again = plan(flow, 33, {.limits = {.work = 300}});
    REQUIRE(again.plan);
    CHECK(support::plan_fault(flow, 33, again, support::exhaustive_search(flow, 33, 10'000)) == "");
    CHECK((again.plan->cost.overhead == 9 && again.plan->cost.peak == 22 && again.proven));
    CHECK((!plan(flow, 21).plan && plan(flow, 21).proven));
}

TEST_CASE("plan: a view that follows a control edge is made again with the storage that it lies in") {
    dataflow_builder builder;
    for (int k = 0; k < 7; ++k) builder.add_operation(1);
    auto const before = builder.add_value(0, 1);
    auto const x = builder.add_value(1, 10);
    auto const view = builder.add_view(2, std::vector{x});
    builder.add_read(2, x);
    builder.add_control_edge(0, 2);
    auto const y = builder.add_value(3, 1), z = builder.add_value(4, 10), w = builder.add_value(5, 1);
    for (auto const reader : {3U, 6U}) builder.add_read(reader, view);
    builder.add_read(3, before);
    builder.add_read(4, y);
    builder.add_read(5, z);
    builder.add_read(6, w);
    builder.add_result(builder.add_value(6, 1));
    auto const flow = std::move(builder).build();
    REQUIRE(replay(flow, make_schedule(flow)).peak == 21);
    auto const found = plan(flow, 13, {.limits = {.work = 300}});
    REQUIRE(found.plan);
    CHECK(found.plan->cost.overhead == 2);  // x and its view
    CHECK(found.plan->cost.peak <= 13);
    // A larger budget begins from that plan, and is not misled by it.
    auto const curve = plan(flow, std::vector<bytes>{13, 21}, {.limits = {.work = 300}});
    REQUIRE(curve[1].plan);
    CHECK(curve[1].plan->cost.overhead == 0);
}

TEST_CASE("plan: a graph is planned whose views and control edges are too many for the exact search") {
    // Views that take time run by themselves in the exact search, beside a token for each control edge.
    dataflow_builder builder;
    auto const late = builder.add_operation(1), last = builder.add_operation(1);
    builder.add_value(late, 10);
    builder.add_value(last, 1);
    for (int k = 0; k < 22; ++k) {
        auto const made = builder.add_operation(1), seen = builder.add_operation(1);
        auto const x = builder.add_value(made, 1);
        builder.add_read(seen, x);
        auto const view = builder.add_view(seen, std::vector{x});
        if (k < 8) builder.add_read(last, view);
        builder.add_control_edge(made, late);
    }
    builder.add_control_edge(late, last);
    auto const flow = std::move(builder).build();
    auto const peak = replay(flow, make_schedule(flow)).peak;
    for (auto const budget : {peak - 1, peak / 2}) {
        auto const found = plan(flow, budget, {.limits = {.work = 300}});
        CHECK(support::plan_fault(flow, budget, found, {}) == "");
    }
}

TEST_CASE("plan: a search of several budgets that is called off proves nothing of those that have a plan") {
    std::size_t without = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        INFO("seed " << seed);
        support::split_mix random(seed);
        auto const flow = support::any_full_dataflow(random);
        auto const least = find_least_budget(flow, {.limits = {.work = 300}});
        if (!least.plan.plan) continue;
        for (int const most : {0, 2}) {
            int looks = 0;
            auto const curve = plan(flow, std::vector{least.found, least.found + 1, least.found + 2},
                                    {.limits = {.work = 300, .stop = [&] { return ++looks > most; }}});
            for (auto const& found : curve) {
                CHECK(!found.none_exists());
                without += found.plan ? 0U : 1U;
            }
        }
    }
    CHECK(without > 0);
}
