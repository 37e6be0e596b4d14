// Covers recompute/greedy_eviction.hpp, recompute/keep_all.hpp.
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/recompute/greedy_eviction.hpp>
#include <repebble/recompute/keep_all.hpp>

#include "recompute/random_training.hpp"
#include "support/brute_force.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"

using namespace repebble;

namespace {

auto unit_training(std::size_t n) -> training_graph {
    return make_training_graph(support::chain(n), weights{unit_weight{}, unit_weight{}});
}
/// Returns the operations in execution order.
auto run_order(recompute_plan<> const& plan) -> std::vector<operation_index> {
    std::vector<operation_index> order;
    for (auto const& s : plan.schedule.steps)
        if (s.what == action::compute) order.push_back(s.vertex);
    return order;
}

}  // namespace

TEST_CASE("where everything fits, nothing is evicted", "[greedy_eviction]") {
    auto const training = unit_training(8);
    auto const all = keep_all(training);
    auto const plan = greedy_eviction(training, all.cost.peak);
    REQUIRE(plan.has_value());
    CHECK(*plan == all);
}

TEST_CASE("kirisame: the victim has the least cost per byte and time since its last use", "[greedy_eviction][paper]") {
    // When the gradient of 2 needs memory, it reads 2 and 3; 1 was used later than 0.
    support::weighted_dag g{support::chain(4), {1, 1, 1, 1}, {4, 4, 4, 4}, {0, 0, 0, 0}};
    auto const first_again = [&] {
        auto const order = run_order(*greedy_eviction(g.training(gradient_dependencies{}), 20));
        for (std::size_t i = 4; i < order.size(); ++i)
            if (order[i] < 4) return order[i];
        return no_value;
    };
    CHECK(first_again() == 0);
    g.time[0] = 9;  // expensive to recompute
    CHECK(first_again() == 1);
    g.pinned[1] = 1;  // cannot be recomputed
    CHECK(first_again() == 0);
}

TEST_CASE("eviction plans a chain of 32 units in a third of its peak, with few more forward passes",
          "[greedy_eviction]") {
    auto const training = unit_training(32);
    auto const plan = greedy_eviction(training, 12);
    REQUIRE(plan.has_value());
    CHECK(plan->cost.peak <= 12);
    CHECK(plan->cost.overhead <= 3 * 32);
    CHECK(plan->cost.overhead >= 32 - 12);
}

TEST_CASE("greedy eviction returns nothing without a victim, and beyond its limit", "[greedy_eviction]") {
    auto const training = unit_training(8);
    CHECK(!greedy_eviction(training, 2).has_value());
    auto const plan = greedy_eviction(training, 6);
    REQUIRE(plan.has_value());
    auto const needed = run_order(*plan).size();
    CHECK(greedy_eviction(training, 6, {.limits = {.work = needed}}).has_value());
    CHECK(!greedy_eviction(training, 6, {.limits = {.work = needed - 1}}).has_value());
}

TEST_CASE("nearest and no budget give the same least budget", "[greedy_eviction][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const training = support::random_training(random, 6);
        auto const least = greedy_eviction(training);
        RC_ASSERT(least.has_value());
        RC_ASSERT(least->cost.peak <= keep_all(training).cost.peak);
        auto const nearest = greedy_eviction(training, 0, {.nearest = true});
        RC_ASSERT(nearest.has_value());
        RC_ASSERT(nearest->cost.peak <= least->cost.peak);
    }));
}

TEST_CASE("the least budget is never above everything once by the cheapest producers", "[greedy_eviction]") {
    dataflow_builder builder;
    builder.add_operation(2);
    builder.add_operation(4, 3);
    auto const x = builder.add_value(0, 7);
    builder.add_producer(1, x);
    auto const flow = std::move(builder).build();
    CHECK(keep_all(flow).cost.peak == 7);
    CHECK(greedy_eviction(problem(flow)).value().cost.peak == 7);
}

TEST_CASE("eviction ends where its limits do", "[greedy_eviction]") {
    auto const training = unit_training(8);
    CHECK(!greedy_eviction(training, 6, {.limits = {.stop = [] { return true; }}}).has_value());
    CHECK(!greedy_eviction(training, 6, {.limits = {.seconds = 0}}).has_value());
}
