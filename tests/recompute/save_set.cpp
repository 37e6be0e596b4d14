// Covers recompute/strategy_options.hpp, recompute/keep_all.hpp, recompute/save_set.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/training/make_problem.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/recompute/save_set.hpp>

#include "recompute/random_training.hpp"
#include "support/brute_force.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"

using namespace repebble;

namespace {

/// Returns the number of runs of every operation.
auto runs_of(recompute_plan<> const& plan, std::size_t operations) -> std::vector<std::size_t> {
    std::vector<std::size_t> runs(operations, 0);
    for (auto const& s : plan.schedule.steps)
        if (s.what == action::compute) ++runs[s.vertex];
    return runs;
}

}  // namespace

TEST_CASE("values are dropped by their time per byte, as few as the budget needs", "[save_set]") {
    // Time per byte: 6, 1, 3, 2, 5. Keeping everything takes 18 bytes of values and gradients.
    support::weighted_dag const g{support::chain(5), {12, 4, 9, 4, 10}, {2, 4, 3, 2, 2}, {0, 0, 0, 0, 0}};
    auto const training = g.training(gradient_dependencies{});
    auto const all = keep_all(training).cost;
    CHECK(runs_of(*save_set(training, all.peak), 10) == std::vector<std::size_t>(10, 1));
    auto const one = save_set(training, all.peak - 1);
    REQUIRE(one.has_value());
    CHECK(runs_of(*one, 10) == std::vector<std::size_t>{1, 2, 1, 1, 1, 1, 1, 1, 1, 1});
    CHECK(one->cost.overhead == 4);
    CHECK(one->cost.peak < all.peak);
}

TEST_CASE("with the objective memory save_set takes the least peak, however much the budget allows", "[save_set]") {
    support::weighted_dag const g{support::chain(5), {12, 4, 9, 4, 10}, {2, 4, 3, 2, 2}, {0, 0, 0, 0, 0}};
    auto const training = g.training(gradient_dependencies{});
    auto const all = keep_all(training).cost;
    auto const least = save_set(training);
    auto const found = save_set(training, all.peak, {.goal = objective::memory});
    REQUIRE((least && found));
    CHECK(least->cost.peak < all.peak);
    CHECK(found->cost == least->cost);
}

TEST_CASE("dropped values are recomputed once, and operations that may run only once are saved",
          "[save_set][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::random_weighted_dag(random, 9, 9, 20);
        auto const training =
            g.training(gradient_dependencies{}, support::built_conventions[support::below(random, 3)]);
        auto const least = save_set(training);
        RC_ASSERT(least.has_value());
        RC_ASSERT(least->cost.peak <= keep_all(training).cost.peak);
        auto const runs = runs_of(*least, training.flow.operation_count());
        for (std::size_t v = 0; v < runs.size(); ++v) {
            bool const again = v < g.size() && g.pinned[v] == 0;
            RC_ASSERT(runs[v] <= (again ? 2U : 1U));
        }
        RC_ASSERT(save_set(training, least->cost.peak).has_value());
        if (least->cost.peak == 0) return;
        RC_ASSERT(!save_set(training, least->cost.peak - 1).has_value());
        auto const nearest = save_set(training, least->cost.peak - 1, {.nearest = true});
        RC_ASSERT(nearest.has_value());
        RC_ASSERT(nearest->cost.peak == least->cost.peak);
    }));
}

TEST_CASE("save_set has no plan where its limits end it", "[save_set]") {
    auto const chain = make_training_problem(support::chain(6));
    CHECK(save_set(chain, 6)->cost.peak <= 6);
    CHECK(!save_set(chain, 1).has_value());
    CHECK(!save_set(chain, 6, {.limits = {.stop = [] { return true; }}}).has_value());
}

TEST_CASE("of thousands of values as few are dropped as the budget needs", "[save_set][long]") {
    auto const training = make_training_graph(support::chain(2100), weights{}, gradient_dependencies{});
    auto const all = keep_all(training).cost;
    for (bytes const less : {1, 17, 250, 900}) {
        auto const plan = save_set(training, all.peak - less);
        REQUIRE(plan.has_value());
        CHECK(plan->cost.peak == all.peak - less);
        CHECK(plan->cost.overhead == less);
    }
    auto const least = save_set(training);
    REQUIRE(least.has_value());
    CHECK(least->cost.peak < 1060);
    CHECK(save_set(training, least->cost.peak).has_value());
    CHECK_FALSE(save_set(training, least->cost.peak - 1).has_value());
}
