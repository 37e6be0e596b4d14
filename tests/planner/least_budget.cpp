// Covers graph/limits.hpp, planner/find_least_budget.hpp, planner/find_memory_floor.hpp.
#include <cstdint>
#include <type_traits>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/plan.hpp>
#include <repebble/planner/find_least_budget.hpp>
#include <repebble/planner/find_memory_floor.hpp>
#include <repebble/recompute/keep_all.hpp>

#include "support/brute_pebbling.hpp"
#include "support/cases.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"
#include "support/swap_cases.hpp"
#include "support/throws.hpp"

using namespace repebble;

TEST_CASE("the memory floor is in terms of the caller's vertices, and no plan is below it", "[least_budget]") {
    std::vector<std::vector<int>> const net{{1, 3}, {2}, {3}, {4}, {5}, {6}, {}};
    auto const step = make_training_problem(net);
    auto const floor = find_memory_floor(step);
    CHECK(floor == plan(step, 9).floor);
    auto const below = plan(step, floor.size - 1);
    CHECK((!below.plan && below.proven));
    CHECK(find_memory_floor(problem(*step.training())).size == floor.size);
    CHECK(find_memory_floor(make_problem(std::vector<std::vector<int>>{})).size == 0);
}

TEST_CASE("the least budget that is found has a plan, and is proven needed where both are equal", "[least_budget]") {
    std::size_t equal = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        INFO("seed " << seed);
        support::split_mix random(seed);
        auto const flow = support::random_dataflow(random, {.operations = 2 + seed % 7, .view_percent = 0});
        auto const least = find_least_budget(flow, {.limits = {.work = 2000}});
        CHECK(least.needed == find_memory_floor(flow));
        REQUIRE(least.plan.plan);
        CHECK(least.plan.plan->cost.peak <= least.found);
        CHECK(least.found >= least.needed.size);
        CHECK(least.found <= keep_all(flow).cost.peak);
        if (least.found == least.needed.size) {
            ++equal;
            CHECK_FALSE(plan(flow, least.found - 1, {.limits = {.work = 2000}}).plan);
        }
    }
    CHECK(equal > 5);
}

TEST_CASE("the search for the least budget ends where its limits do", "[least_budget]") {
    std::vector<std::vector<int>> net(40);
    for (int v = 0; v + 1 < 40; ++v) net[static_cast<std::size_t>(v)].push_back(v + 1);
    auto const step = make_training_problem(net);
    auto const usual = find_least_budget(step, {.limits = {.work = 1000}});
    int asked = 0;
    auto const brief = find_least_budget(step, {.limits = {.stop = [&] { return ++asked > 3; }}});
    CHECK(brief.found >= usual.found);
    if (brief.found > 0) CHECK(brief.plan.plan->cost.peak <= brief.found);
}

TEST_CASE("plan finds one within the least budget that is found, whatever its work", "[least_budget][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const c = support::random_swap_case(random, 14);
        auto options = c.options(500);
        if (support::chance(random, 50)) {
            options.link.reset();
            options.host_budget.reset();
        }
        options.arena = support::chance(random, 50);
        auto const least = find_least_budget(c.flow, options);
        RC_ASSERT(least.plan.plan);
        RC_ASSERT(least.needed.size <= least.plan.plan->cost.peak && least.plan.plan->cost.peak <= least.found);
        for (std::size_t const work : {0U, 500U, 3000U}) {
            options.limits.work = work;
            RC_ASSERT(plan(c.flow, least.found, options).plan);
        }
        if (least.needed.size > 0) RC_ASSERT(plan(c.flow, least.needed.size - 1, options).none_exists());
    }));
}

TEST_CASE("the memory floor itself is tried", "[least_budget]") {
    std::vector<std::vector<int>> const net{{1, 3}, {2}, {3}, {4}, {5}, {6}, {}};
    auto const least = find_least_budget(make_training_problem(net));
    CHECK((least.needed.size == 7 && least.found == 7));
}

TEST_CASE("the search for the least budget refuses what plan refuses", "[least_budget]") {
    auto const step = make_training_problem(support::chain(7));
    CHECK(support::throws<bad_option>([&] { return find_least_budget(step, {.limits = {.seconds = -1}}); }, {"-1.0"}));
    struct no_listener {};
    static_assert(!std::is_invocable_v<decltype(find_least_budget), problem const&, plan_options, no_listener>);
}
