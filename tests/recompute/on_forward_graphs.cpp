// Covers graph/training/training_vertices.hpp, recompute/lower_set_approximate.hpp, recompute/lower_set_exact.hpp,
// recompute/recompute_plan.hpp.
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/recompute/lower_set_approximate.hpp>
#include <repebble/recompute/lower_set_exact.hpp>

#include "support/archetypes.hpp"
#include "support/brute_force.hpp"
#include "support/catch.hpp"

using namespace repebble;
using support::label;

TEST_CASE("a plan of the caller's graph is in terms of its vertices", "[forward_plan]") {
    support::least_graph const g({{1}, {2}, {3}, {}});
    auto const plan = lower_set_approximate(
        g, 5, [](label) { return 1; }, [](label) { return 1; });
    REQUIRE(plan.has_value());
    static_assert(std::same_as<decltype(plan->schedule.steps.front().vertex), training_vertex<label>>);
    CHECK(plan->cost.peak <= 5);
    std::vector<int> first_four;
    for (auto const& s : plan->schedule.steps)
        if (s.what == action::compute && first_four.size() < 4) first_four.push_back(s.vertex.vertex.id());
    CHECK(first_four == std::vector{100, 101, 102, 103});
    CHECK(plan->schedule.steps.back().vertex.pass == pass::backward);
    CHECK(!lower_set_approximate(g, 1).has_value());
}

TEST_CASE("floating-point times become whole, with declared dependencies", "[forward_plan]") {
    auto const chain = support::chain(6);
    auto const half = [](int) { return 0.5; };
    auto const plan = lower_set_exact(chain, 5, half, unit_weight{}, needs_inputs_only);
    REQUIRE(plan);
    CHECK(plan->cost.time >= 90);  // in tenths
    CHECK(!lower_set_exact(chain, 5, half, unit_weight{}, gradient_dependencies{}).has_value());
}

TEST_CASE("a graph and its training graph give the same plan", "[forward_plan][property]") {
    CHECK(rc::check([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::random_weighted_dag(random, 8);
        auto const training = g.training(gradient_dependencies{});
        auto const budget = support::between(random, 0, 60);
        auto const own = lower_set_approximate(g.graph, budget, support::listed<std::int64_t>{g.time},
                                               support::listed<bytes>{g.memory});
        auto const plan = lower_set_approximate(training, {.budget = budget});
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
