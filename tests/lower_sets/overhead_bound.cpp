// Covers lower_sets/overhead_bound.hpp, lower_sets/detail/all_lower_sets.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <rapidcheck.h>

#include <repebble/lower_sets/overhead_bound.hpp>
#include <repebble/lower_sets/solve_lower_sets.hpp>

#include "recompute/branching_graphs.hpp"
#include "support/brute_force.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"

using namespace repebble;
using support::chance;

namespace {

/// At every budget the bound is no worse than the exact curve.
void is_a_bound(support::weighted_dag const& g) {
    auto const problem = g.problem();
    for (auto const goal : {objective::time, objective::memory})
        for (bool const keep_last : {false, true}) {
            auto const curve = solve_lower_sets(
                problem,
                {.choice = family_choice::all, .goal = goal, .keep_last = keep_last, .limits = {.work = 1'000'000}});
            overhead_bound const bound(problem, goal, keep_last);
            RC_ASSERT(bound.least_budget() <= *curve.least_budget());
            std::vector<bytes> budgets{std::numeric_limits<bytes>::max()};
            for (auto const& b : curve.breakpoints())
                for (auto const budget : {b.budget, b.budget - 1})
                    if (budget < budgets.back()) budgets.push_back(budget);
            auto const bounds = bound(budgets);
            for (std::size_t k = 0; k < budgets.size(); ++k) {
                RC_ASSERT(bound(budgets[k]) == bounds[k]);
                auto const best = curve.best_within(budgets[k]);
                if (!best) continue;
                auto const overhead = curve.breakpoints()[*best].overhead;
                RC_ASSERT(bounds[k].has_value());
                RC_ASSERT((goal == objective::time ? *bounds[k] <= overhead : *bounds[k] >= overhead));
                RC_ASSERT(*bounds[k] >= 0);
            }
        }
}

}  // namespace

TEST_CASE("the bound of a chain of 5 units is tight at every budget that suffices", "[overhead_bound]") {
    support::weighted_dag const g{support::chain(5), std::vector<std::int64_t>(5, 1), std::vector<bytes>(5, 1),
                                  std::vector<char>(5)};
    auto const problem = g.problem();
    overhead_bound const bound(problem);
    CHECK(bound(6) == 1);
    CHECK(bound(5) == 2);
    CHECK(bound(4) == 3);  // no sequence fits
    CHECK(bound.least_budget() == 4);
    CHECK(!bound(3));
    CHECK(!bound(-1));
}

TEST_CASE("the bound of the empty graph is 0", "[overhead_bound]") {
    auto const nothing = support::weighted_dag{}.problem();
    overhead_bound const bound(nothing);
    CHECK(bound(0) == 0);
    CHECK(!bound(-1));
}

TEST_CASE("no sequence beats the bound", "[overhead_bound][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const greatest = chance(random, 50) ? 9 : 500'000'000;
        is_a_bound(support::random_weighted_dag(random, 9, greatest, chance(random, 40) ? 25 : 0));
    }));
}

TEST_CASE("no sequence beats the bound where branches read each other's ends", "[overhead_bound][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        is_a_bound(support::crossing_branches(random));
        is_a_bound(support::branching_modules(random, 2, 2, 2, 99, chance(random, 50)));
    }));
}

TEST_CASE("a bound that is ended early is valid, but weaker", "[overhead_bound]") {
    auto const problem =
        support::weighted_dag{support::chain(6), {1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 0}}.problem();
    auto const over = [] { return true; };
    auto const whole = overhead_bound(problem)(6);
    auto const early = overhead_bound(problem, objective::time, false, over)(6, over);
    REQUIRE((whole && early));
    CHECK(*whole > 0);
    CHECK(*early == 0);
}
