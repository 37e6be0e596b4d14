// Covers planner/detail/budget_planner.hpp, planner/detail/swap_planner.hpp.
#include <cstddef>
#include <initializer_list>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/plan.hpp>
#include <repebble/planner/find_least_budget.hpp>
#include <repebble/recompute/keep_all.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"

using namespace repebble;

namespace {

/// A chain of so many operations with its gradients: enough that preparing it asks for a stop.
auto prepared_slowly() -> training_graph {
    return make_training_graph(support::chain(12'000), weights{unit_weight{}, unit_weight{}});
}

}  // namespace

TEST_CASE("plan: called off while it is prepared it has no plan, and claims neither a floor nor that none exists") {
    auto const training = prepared_slowly();
    auto const budget = keep_all(training).cost.peak;
    std::size_t asked = 0;
    plan_options without{.limits = {.stop = [&] { return ++asked > 0; }}};
    auto over_link = without;
    over_link.link = host_link{100, 1};
    auto keeps = over_link, recomputes = without;
    keeps.policies.must_keep = {{0, 0}};
    recomputes.policies.must_recompute = {{1, 0}};
    for (auto const& options : {without, over_link, keeps, recomputes}) {
        asked = 0;
        auto const found = plan(training, budget, options);
        CHECK(!found.plan);
        CHECK(!found.proven);
        CHECK(found.floor == memory_floor<>{});
        CHECK((found.lower_bound >= 0 && found.lower_bound <= 1));  // what must be recomputed takes 1
        CHECK(found.base_order_bound == 0);
        CHECK(asked == 1);
    }
    auto const least = find_least_budget(training, without);
    CHECK((least.found == 0 && !least.plan.plan && !least.plan.proven));
}

TEST_CASE("plan: called off at any question it has a plan within the budget, or none and no false claim") {
    auto const training = prepared_slowly();
    auto const budget = keep_all(training).cost.peak;
    bool prepared = false;
    for (std::size_t questions = 1; !prepared; ++questions) {
        std::size_t asked = 0;
        auto const found = plan(training, budget, {.limits = {.stop = [&] { return ++asked > questions; }}});
        CHECK((found.plan ? found.plan->cost.peak <= budget : !found.proven));
        prepared = found.floor.size > 0;
        REQUIRE(questions < 100);
    }
}
