// Covers graph/training/make_problem.hpp, graph/training/problem.hpp, graph/training/training_vertices.hpp,
// recompute/recompute_plan.hpp.
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/training/make_problem.hpp>
#include <repebble/recompute/lower_set_plan.hpp>

#include "support/archetypes.hpp"
#include "support/brute_force.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/throws.hpp"

using namespace repebble;
using support::label;

TEST_CASE("a plan of the caller's graph is in terms of its vertices", "[forward_plan]") {
    support::least_graph const g({{1}, {2}, {3}, {}});
    auto const step = make_training_problem(g);
    auto const found = lower_set_plan(step, 5, {.sets = lower_set_choice::pruned});
    REQUIRE(found.has_value());
    auto const plan = std::optional(map_vertices(*found, step));
    static_assert(std::same_as<decltype(plan->schedule.steps.front().vertex), training_vertex<label>>);
    CHECK(plan->cost.peak <= 5);
    std::vector<int> first_four;
    for (auto const& s : plan->schedule.steps)
        if (s.what == action::compute && first_four.size() < 4) first_four.push_back(s.vertex.vertex.id());
    CHECK(first_four == std::vector{100, 101, 102, 103});
    CHECK(plan->schedule.steps.back().vertex.pass == pass::backward);
    CHECK(!lower_set_plan(step, 1, {.sets = lower_set_choice::pruned}).has_value());
}

TEST_CASE("floating-point times become whole, with declared dependencies", "[forward_plan]") {
    auto const chain = support::chain(6);
    auto const half = [](int) { return 0.5; };
    weights const w{half, unit_weight{}};
    auto const plan = lower_set_plan(make_training_problem(chain, w, needs_inputs_only), 5);
    REQUIRE(plan);
    CHECK(plan->cost.time >= 90);  // in tenths
    CHECK(!lower_set_plan(make_training_problem(chain, w), 5).has_value());
}

TEST_CASE("a graph and its training graph give the same plan", "[forward_plan][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::random_weighted_dag(random, 8);
        auto const training = g.training(gradient_dependencies{});
        auto const budget = support::between(random, 0, 60);
        auto const step = make_training_problem(
            g.graph, weights{support::listed<std::int64_t>{g.time}, support::listed<bytes>{g.memory}});
        auto const found = lower_set_plan(step, budget, {.sets = lower_set_choice::pruned});
        auto const own = found ? std::optional(map_vertices(*found, step)) : std::nullopt;
        auto const plan = lower_set_plan(training, budget, {.sets = lower_set_choice::pruned});
        RC_ASSERT(own.has_value() == plan.has_value());
        if (!own) return;
        RC_ASSERT(own->cost == plan->cost);
        RC_ASSERT(own->formula == plan->formula);
        RC_ASSERT((own->segments == plan->segments && own->lower_sets == plan->lower_sets));
        RC_ASSERT(std::ranges::equal(own->schedule.steps, plan->schedule.steps, [&](auto const& a, auto const& b) {
            auto const& origin = training.origin[b.vertex];
            return a.what == b.what && static_cast<std::size_t>(a.vertex.vertex) == origin.vertex &&
                   a.vertex.pass == origin.pass && a.repetition == b.repetition && a.output == b.output;
        }));
    }));
}

TEST_CASE("a strategy of gradients refuses a problem without them, and says how to make them", "[problem]") {
    auto const forward = make_problem(support::chain(4));
    CHECK(support::throws<bad_graph>([&] { return lower_set_plan(forward, 5); }, {"make_training_problem"}));
}
