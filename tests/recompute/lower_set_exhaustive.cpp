// Covers recompute/lower_set_exhaustive.hpp.
#include <cstdint>

#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/recompute/lower_set_exhaustive.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/throws.hpp"

using namespace repebble;
using support::throws;

namespace {

auto training_of_units(support::adjacency const& g) {
    return make_training_graph(g, weights{unit_weight{}, unit_weight{}});
}

}  // namespace

TEST_CASE("lower_set_exhaustive throws beyond its limits of steps and of lower sets", "[lower_set_exhaustive]") {
    auto const chain = training_of_units(support::chain(5));
    CHECK(lower_set_exhaustive(chain, {}, 32)->lower_sets == 6);  // ∅ and its 31 continuations
    CHECK(throws<limit_reached>([&] { return lower_set_exhaustive(chain, {}, 31); },
                                {"lower_set_exhaustive", "31 steps"}));
    CHECK(throws<limit_reached>([&] { return lower_set_exhaustive(chain, {.lower_set_limit = 5}); }, {"5 lower sets"}));
}

TEST_CASE("the plan of lower_set_exhaustive for the empty graph is empty", "[lower_set_exhaustive]") {
    auto const plan = lower_set_exhaustive(training_of_units({}), {.budget = 0});
    REQUIRE(plan);
    CHECK(plan->schedule.steps.empty());
}

TEST_CASE("judged by replay lower_set_exhaustive finds the cheapest schedule of a chain at each budget",
          "[lower_set_exhaustive]") {
    auto const chain = training_of_units(support::chain(4));
    auto const overhead = [&](bytes budget) { return lower_set_exhaustive(chain, {.budget = budget})->cost.overhead; };
    CHECK(overhead(6) == 0);
    CHECK(overhead(5) == 1);
    CHECK(!lower_set_exhaustive(chain, {.budget = 3}));
    auto const least = lower_set_exhaustive(chain);
    CHECK(least->cost.peak <= 5);
    CHECK(lower_set_exhaustive(chain, {.budget = 6, .goal = objective::memory})->cost.peak == least->cost.peak);
}
