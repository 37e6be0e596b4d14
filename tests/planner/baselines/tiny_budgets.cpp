// Covers plan.hpp, planner/detail/baselines/baseline_plans.hpp, recompute/decomposition_plan.hpp.
#include <cstddef>
#include <vector>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/plan.hpp>
#include <repebble/recompute/decomposition_plan.hpp>
#include <repebble/recompute/greedy_eviction.hpp>

#include "support/catch.hpp"

namespace {

using namespace repebble;

auto planned_within(std::vector<std::vector<int>> const& graph, bytes budget) -> automatic_plan<> {
    auto const training = make_training_graph(graph, weights{}, gradient_dependencies{});
    auto found = plan(training, budget, plan_options{.limits = {.work = 200}});
    if (found.plan) CHECK(found.plan->cost == replay(training.flow, found.plan->schedule));
    return found;
}

TEST_CASE("two towers of 2,002 vertices have a plan within 20 bytes", "[plan][long]") {
    std::vector<std::vector<int>> towers(2002);
    towers[0] = {1, 2};
    for (int v = 1; v <= 2000; ++v) towers[static_cast<std::size_t>(v)] = {v + 2 <= 2000 ? v + 2 : 2001};
    auto const found = planned_within(towers, 20);
    REQUIRE(found.plan.has_value());
    CHECK(found.plan->cost.peak <= 20);
}

TEST_CASE("a U-Net of 1,024 vertices has a plan within 36 bytes", "[plan][long]") {
    std::vector<std::vector<int>> net(1024);
    for (int v = 0; v < 1023; ++v) net[static_cast<std::size_t>(v)].push_back(v + 1);
    for (int v = 0; v < 510; v += 2) net[static_cast<std::size_t>(v)].push_back(1023 - v);
    auto const found = planned_within(net, 36);
    REQUIRE(found.plan.has_value());
    CHECK(found.plan->cost.peak <= 36);
}

TEST_CASE("a tiny budget has a plan no slower than greedy eviction's and that by nested separators", "[plan][long]") {
    std::vector<std::vector<int>> towers(1402);
    towers[0] = {1, 2};
    for (int v = 1; v <= 1400; ++v) towers[static_cast<std::size_t>(v)] = {v + 2 <= 1400 ? v + 2 : 1401};
    auto const training = make_training_graph(towers, weights{}, gradient_dependencies{});
    for (bytes const budget : {50, 65}) {
        auto const found = planned_within(towers, budget);
        REQUIRE(found.plan.has_value());
        CHECK(found.plan->cost.peak <= budget);
        CHECK(found.plan->cost.time <= greedy_eviction(training, budget)->cost.time);
        CHECK(found.plan->cost.time <= decomposition_plan(training, budget)->cost.time);
    }
}

}  // namespace
