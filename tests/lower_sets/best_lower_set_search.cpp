// Covers lower_sets/evaluate_formula.hpp, lower_sets/detail/all_lower_sets.hpp, lower_sets/solve_lower_sets.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <rapidcheck.h>

#include <repebble/lower_sets/evaluate_formula.hpp>
#include <repebble/lower_sets/solve_lower_sets.hpp>

#include "recompute/branching_graphs.hpp"
#include "support/brute_force.hpp"
#include "support/catch.hpp"
#include "support/family_choice.hpp"
#include "support/property.hpp"

using namespace repebble;
using support::below;
using support::chance;

namespace {

/// A small graph of any kind.
auto any_small_dag(support::split_mix& random) -> support::weighted_dag {
    if (chance(random, 30)) return support::crossing_branches(random);
    if (chance(random, 30)) return support::branching_modules(random, 2, 2, 2, 99, chance(random, 50));
    return support::random_weighted_dag(random, 9, chance(random, 50) ? 9 : 500'000'000, 10);
}

}  // namespace

TEST_CASE("up to the limit the best lower sets are all", "[best_lower_sets][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const problem = any_small_dag(random).problem();
        auto const best = solve_lower_sets(problem, {.limits = {.work = 1'000'000}});
        RC_ASSERT(best.searched().all);
        RC_ASSERT(std::ranges::equal(best.breakpoints(),
                                     solve_lower_sets(problem, {.choice = family_choice::all}).breakpoints()));
        auto const again = solve_lower_sets(problem, {.limits = {.work = best.searched().count}});
        RC_ASSERT(again.searched().all);
        RC_ASSERT(!solve_lower_sets(problem, {.limits = {.work = best.searched().count - 1}}).searched().all);
    }));
}

TEST_CASE("beyond the limit the bounds of a family's curve hold for all lower sets", "[best_lower_sets][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = any_small_dag(random);
        auto const problem = g.problem();
        lower_set_options options{.goal = chance(random, 30) ? objective::memory : objective::time,
                                  .keep_last = chance(random, 30)};
        auto const exact = solve_lower_sets(problem, support::with_choice(options, family_choice::all, 1'000'000));
        if (chance(random, 50)) {
            options.budget = exact.breakpoints()[below(random, exact.breakpoints().size())].budget;
            options.best_only = chance(random, 70);
        }
        auto const best =
            solve_lower_sets(problem, support::with_choice(options, family_choice::best, below(random, 40)));
        auto const breakpoints = best.breakpoints();
        bool const least = options.goal == objective::time;
        for (std::size_t k = 0; k < breakpoints.size(); ++k) {
            auto const& b = breakpoints[k];
            auto const cost = evaluate_formula(problem, best.sequence(k), options.keep_last);
            RC_ASSERT(cost.overhead == b.overhead);
            RC_ASSERT(cost.peak == b.budget);
            // At the greatest budget for which `best_within` returns it.
            auto const within = k > 0            ? std::optional(breakpoints[k - 1].budget - 1)
                                : options.budget ? options.budget
                                                 : std::nullopt;
            auto const at = within ? *exact.best_within(*within) : 0;
            auto const optimum = exact.breakpoints()[at].overhead;
            RC_ASSERT(
                (least ? b.bound <= optimum && optimum <= b.overhead : b.bound >= optimum && optimum >= b.overhead));
        }
    }));
}

TEST_CASE("a graph with 5^30 lower sets has a curve with bounds over a family", "[best_lower_sets]") {
    support::split_mix random(3);
    support::weighted_dag g{support::parallel_chains(30, 4), {}, {}, {}};  // 5^30 lower sets
    support::weigh(g, random, 1'000'000, 99);
    auto const problem = g.problem();
    auto const best = solve_lower_sets(problem, {.resolution = 500'000, .limits = {.work = 500}});
    CHECK(!best.searched().all);
    CHECK(best.searched().count == 500);
    REQUIRE(!best.breakpoints().empty());
    auto const budget = best.breakpoints().front().budget;
    auto const one = solve_lower_sets(problem, {.budget = budget, .best_only = true, .limits = {.work = 500}});
    REQUIRE(one.breakpoints().size() == 1);
    CHECK(one.breakpoints()[0].budget <= budget);
    CHECK(one.breakpoints()[0].overhead <= best.breakpoints()[0].overhead);
    CHECK(one.breakpoints()[0].bound <= one.breakpoints()[0].overhead);
}

TEST_CASE("budgets within which no sequence fits give an empty curve", "[best_lower_sets]") {
    support::weighted_dag const g{support::chain(4), {1, 2, 3, 4}, {5, 5, 5, 5}, {0, 0, 0, 0}};
    auto const problem = g.problem();
    for (bool const best_only : {false, true})
        for (bytes const budget : {bytes{-1}, bytes{4}, bytes{14}}) {
            lower_set_options const options{.budget = budget, .best_only = best_only};
            CHECK(solve_lower_sets(problem, support::with_choice(options, family_choice::best, 100))
                      .breakpoints()
                      .empty());
            CHECK(
                solve_lower_sets(problem, support::with_choice(options, family_choice::best, 2)).breakpoints().empty());
        }
}

TEST_CASE("a search of lower sets that is stopped ends while they are listed", "[best_lower_sets]") {
    support::weighted_dag const apart{support::adjacency(60), std::vector<std::int64_t>(60, 1),
                                      std::vector<bytes>(60, 1), std::vector<char>(60, 0)};
    auto const problem = apart.problem();
    for (auto const choice : {family_choice::best, family_choice::all}) {
        int asked = 0;
        auto const stop = [&] { return ++asked > 3; };
        CHECK_THROWS_AS(
            solve_lower_sets(problem, {.choice = choice, .limits = {.work = std::size_t{1} << 40U, .stop = stop}}),
            limit_reached);
        CHECK(asked == 4);
    }
}
