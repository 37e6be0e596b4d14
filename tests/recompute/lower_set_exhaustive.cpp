// Covers recompute/lower_set_plan.hpp.
#include <cstdint>

#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/recompute/lower_set_plan.hpp>

#include "recompute/lower_set_question.hpp"
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

TEST_CASE("lower_set_exhaustive throws beyond its limit of steps", "[lower_set_exhaustive]") {
    auto const chain = training_of_units(support::chain(5));
    CHECK(lower_set_plan(chain, {}, {.sets = lower_set_choice::every, .limits = {.work = 32}})->lower_sets ==
          6);  // ∅ and its 31 continuations
    CHECK(throws<limit_reached>(
        [&] { return lower_set_plan(chain, {}, {.sets = lower_set_choice::every, .limits = {.work = 31}}); },
        {"every sequence", "31 steps"}));
}

TEST_CASE("the plan of lower_set_exhaustive for the empty graph is empty", "[lower_set_exhaustive]") {
    auto const plan = lower_set_plan(training_of_units({}), 0, {.sets = lower_set_choice::every});
    REQUIRE(plan);
    CHECK(plan->schedule.steps.empty());
}

TEST_CASE("judged by replay lower_set_exhaustive finds the cheapest schedule of a chain at each budget",
          "[lower_set_exhaustive]") {
    auto const chain = training_of_units(support::chain(4));
    auto const overhead = [&](bytes budget) {
        return lower_set_plan(chain, budget, {.sets = lower_set_choice::every})->cost.overhead;
    };
    CHECK(overhead(6) == 0);
    CHECK(overhead(5) == 1);
    CHECK(!lower_set_plan(chain, 3, {.sets = lower_set_choice::every}));
    auto const least = lower_set_plan(chain, {}, {.sets = lower_set_choice::every});
    CHECK(least->cost.peak <= 5);
    CHECK(lower_set_plan(chain, 6, {.sets = lower_set_choice::every, .goal = objective::memory})->cost.peak ==
          least->cost.peak);
}
