// Covers planner/selective_plan.hpp.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/dataflow/with_results.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/planner/selective_plan.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"

using namespace repebble;

namespace {

auto trained(std::vector<std::vector<int>> const& net) {
    return make_training_graph(net, weights{unit_weight{}, unit_weight{}});
}

/// The number of computations of an operation in a plan.
auto runs(automatic_plan<> const& found, operation_index v) -> int {
    int count = 0;
    for (auto const& s : found.plan->schedule.steps) count += s.what == action::compute && s.vertex == v ? 1 : 0;
    return count;
}

/// Whether each operation of the backward pass reads a computation of the value that is not its first, and the first is
/// let go before the second.
auto is_recomputed(training_graph<> const& training, schedule<> const& plan, value_index value) -> bool {
    auto const of = training.flow.as_output(value);
    int computations = 0;
    bool resident = false;
    for (auto const& s : plan.steps) {
        if (s.what == action::discard && s.vertex == of.vertex && s.output == of.output) resident = false;
        if (s.what != action::compute) continue;
        auto const reads = training.flow.reads(s.vertex);
        bool const backward = training.origin[s.vertex].pass != pass::forward;
        if (backward && std::ranges::find(reads, value) != reads.end() && computations < 2) return false;
        if (s.vertex != of.vertex) continue;
        if (resident) return false;
        resident = true;
        ++computations;
    }
    return true;
}

}  // namespace

TEST_CASE("plan_selective: without policies it is plan") {
    auto const training = trained({{1}, {2}, {3}, {}});
    auto const found = plan_selective(training, {}, 100);
    REQUIRE(found.plan);
    CHECK((found.plan->cost.overhead == 0 && found.proven));
}

TEST_CASE("plan_selective: a value that must be recomputed is, though there is memory for it") {
    auto const training = trained({{1}, {2}, {3}, {}});
    auto const value = training.flow.writes(1).front();
    auto const found = plan_selective(training, {.must_recompute = {value}}, 100);
    REQUIRE(found.plan);
    CHECK(runs(found, 1) == 2);
    CHECK(is_recomputed(training, found.plan->schedule, value));
    CHECK((found.plan->cost.overhead == 1 && found.lower_bound == 1 && found.proven));
}

TEST_CASE("plan_selective: a value that must be kept is computed once") {
    auto const training = trained({{1}, {2}, {3}, {4}, {5}, {}});
    auto const budget = plan_selective(training, {}, 0).floor.size + 1;
    auto const free = plan_selective(training, {}, budget);
    REQUIRE(free.plan);
    std::vector<value_index> again;
    for (operation_index v = 0; v < 6; ++v)
        if (runs(free, v) > 1) again.push_back(training.flow.writes(v).front());
    REQUIRE_FALSE(again.empty());
    auto const kept = plan_selective(training, {.must_keep = {again.front()}}, budget + 2);
    REQUIRE(kept.plan);
    CHECK(runs(kept, training.flow.producers(again.front()).front()) == 1);
}

TEST_CASE("plan_selective: on random graphs the backward pass reads what was recomputed, within the budget") {
    int checked = 0;
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        INFO("seed " << seed);
        support::split_mix random(seed);
        auto const training = trained(support::any_dag(random, 8));
        value_policies policies;
        for (operation_index v = 0; v < 8 && v < training.flow.operation_count(); ++v)
            if (training.origin[v].pass == pass::forward && random() % 3 == 0)
                policies.must_recompute.push_back(training.flow.writes(v).front());
        auto const all = plan_selective(training, policies, 1000, {.moves = 1000, .arena = false});
        REQUIRE(all.plan);
        for (bytes budget = all.floor.size; budget <= all.plan->cost.peak; budget += 2) {
            auto const found = plan_selective(training, policies, budget, {.moves = 1000, .arena = false});
            if (!found.plan) continue;
            ++checked;
            CHECK(found.plan->cost == replay(training.flow, found.plan->schedule));
            CHECK(found.plan->cost.peak <= budget);
            CHECK(found.lower_bound <= found.plan->cost.overhead);
            for (auto const value : policies.must_recompute)
                if (!training.flow.readers(value).empty()) CHECK(is_recomputed(training, found.plan->schedule, value));
        }
    }
    CHECK(checked > 30);
}

TEST_CASE("plan_selective: a policy that cannot be kept is refused, and the message names the value") {
    auto training = trained({{1}, {2}, {}});
    auto const refusal = [&](value_policies const& policies) -> std::string {
        try {
            static_cast<void>(plan_selective(training, policies, 100));
        } catch (bad_graph const& e) {
            return e.what();
        }
        return "none";
    };
    CHECK(refusal({.must_recompute = {99}}) == "value 99 has a policy and does not exist");
    CHECK(refusal({.must_keep = {1}, .must_recompute = {1}}) == "value 1 must be kept and must be recomputed");
    CHECK(refusal({.must_recompute = {4}}) == "value 4 must be recomputed, and is of the backward pass");
    training.flow = with_results(training.flow, std::vector<value_index>{1});
    CHECK(refusal({.must_recompute = {1}}) == "value 1 must be recomputed, and is a result");
}
