// Covers lower_sets/detail/lattice/block_arcs.hpp, lower_sets/evaluate_formula.hpp,
// lower_sets/detail/all_lower_sets.hpp, lower_sets/detail/passes/exact_curve.hpp, lower_sets/lower_set_limit.hpp,
// graph/no_progress.hpp.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <ranges>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/lower_sets/detail/close_lower_sets.hpp>
#include <repebble/graph/lower_sets/detail/lower_set.hpp>
#include <repebble/graph/no_progress.hpp>
#include <repebble/lower_sets/detail/lattice/block_arcs.hpp>
#include <repebble/lower_sets/detail/passes/exact_curve.hpp>
#include <repebble/lower_sets/evaluate_formula.hpp>
#include <repebble/lower_sets/solve_lower_sets.hpp>

#include "recompute/branching_graphs.hpp"
#include "support/brute_force.hpp"
#include "support/catch.hpp"
#include "support/family_choice.hpp"
#include "support/property.hpp"
#include "support/throws.hpp"

using namespace repebble;
using support::below;
using support::branching_modules;
using support::chance;
using support::crossing_branches;
using support::weighted_dag;

namespace {

constexpr std::size_t no_limit = 1'000'000;

auto family_of_all(lower_set_problem const& problem) { return lower_set_family::all(problem, no_limit); }

void is_the_curve_of_all_pairs(weighted_dag const& g) {
    auto const problem = g.problem();
    auto const all = family_of_all(problem);
    for (bool const keep_last : {false, true}) {
        lower_set_options const options{.keep_last = keep_last};
        auto const curve = solve_lower_sets(problem, support::with_choice(options, family_choice::all, no_limit));
        RC_ASSERT(std::ranges::equal(curve.breakpoints(), solve_lower_sets(all, options).breakpoints()));
        for (std::size_t k = 0; k < curve.breakpoints().size(); ++k) {
            auto const cost = evaluate_formula(problem, curve.sequence(k), keep_last);
            RC_ASSERT(cost.overhead == curve.breakpoints()[k].overhead);
            RC_ASSERT(cost.peak == curve.breakpoints()[k].budget);
        }
    }
}

}  // namespace

TEST_CASE("lower_set_family: all of a chain of n are n + 1, and ended early ∅, V and a part of the others",
          "[exact_curve]") {
    constexpr std::size_t n = 2000;
    weighted_dag const g{support::chain(n), std::vector<std::int64_t>(n, 1), std::vector<bytes>(n, 1),
                         std::vector<char>(n)};
    auto const problem = g.problem();
    CHECK(family_of_all(problem).size() == n + 1);
    CHECK(lower_set_family::all(problem, no_limit, [] { return true; }).size() == 2);
    int asked = 0;
    auto const part = lower_set_family::all(problem, no_limit, [&] { return ++asked > 6; });
    CHECK((part.size() > 2 && part.size() < n + 1));
}

TEST_CASE("kusumoto: all lower sets of a chain of 5 units make its curve", "[exact_curve][paper]") {
    weighted_dag const g{support::chain(5), std::vector<std::int64_t>(5, 1), std::vector<bytes>(5, 1),
                         std::vector<char>(5)};
    auto const problem = g.problem();
    auto const curve = solve_lower_sets(problem, {.choice = family_choice::all});
    using breakpoint = lower_set_curve::breakpoint;
    CHECK(std::ranges::equal(curve.breakpoints(), std::vector<breakpoint>{{1, 6, 1}, {2, 5, 2}}));
    CHECK(curve.sequence(0).count == 5);
    CHECK_THROWS_AS(curve.sequence(2), precondition_violated);
}

TEST_CASE("the empty graph and one vertex have curves, too", "[exact_curve]") {
    auto const nothing = weighted_dag{}.problem();
    auto const empty = solve_lower_sets(nothing, {.choice = family_choice::all});
    REQUIRE(empty.breakpoints().size() == 1);
    CHECK(empty.breakpoints().front() == lower_set_curve::breakpoint{0, 0, 0});
    CHECK(empty.sequence(0) == lower_set_sequence{});

    weighted_dag const one{support::chain(1), {3}, {7}, {0}};
    auto const problem = one.problem();
    auto const curve = solve_lower_sets(problem, {.choice = family_choice::all});
    REQUIRE(curve.breakpoints().size() == 1);
    CHECK(curve.breakpoints().front() == lower_set_curve::breakpoint{3, 14, 3});
    CHECK(curve.sequence(0).count == 1);
}

TEST_CASE("more lower sets than allowed are refused with their number", "[exact_curve]") {
    weighted_dag const g{support::chain(5), std::vector<std::int64_t>(5, 1), std::vector<bytes>(5, 1),
                         std::vector<char>(5)};
    auto const problem = g.problem();
    CHECK(support::throws<limit_reached>(
        [&] { return solve_lower_sets(problem, {.choice = family_choice::all, .limits = {.work = 5}}); },
        {"more than 5 lower sets"}));
    CHECK(solve_lower_sets(problem, {.choice = family_choice::all, .limits = {.work = 6}}).breakpoints().size() == 2);
}

TEST_CASE("irreducible blocks make the curve of all pairs of lower sets", "[exact_curve][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const greatest = chance(random, 50) ? 9 : chance(random, 50) ? 200 : 500'000'000;
        for (int i = 0; i < 2; ++i)
            is_the_curve_of_all_pairs(support::random_weighted_dag(random, 10, greatest, chance(random, 25) ? 25 : 0));
    }));
}

TEST_CASE("irreducible blocks make that curve where branches read each other's ends", "[exact_curve][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        for (int i = 0; i < 4; ++i) is_the_curve_of_all_pairs(crossing_branches(random));
    }));
}

TEST_CASE("irreducible blocks make that curve where there are too many for one search", "[exact_curve][tuning][long]") {
    support::split_mix random(11);
    for (bool const around : {false, true})
        for (auto const greatest : {9, 1'000'000}) {
            INFO("an edge around each module: " << around << ", times up to " << greatest);
            auto const g = branching_modules(random, 4, 3, 4, greatest, around);
            auto const problem = g.problem();
            detail::overhead_cutoff const everything(std::numeric_limits<std::int64_t>::max() / 2);
            detail::lower_set_lattice const lattice(positional_problem(problem), no_limit);
            CHECK(!detail::block_arcs(lattice, everything, 8'192, no_limit).complete());
            for (auto const goal : {objective::time, objective::memory}) {
                lower_set_options const options{.goal = goal};
                auto const expected = solve_lower_sets(family_of_all(problem), options);
                auto const curve =
                    solve_lower_sets(problem, support::with_choice(options, family_choice::all, no_limit));
                CHECK(std::ranges::equal(curve.breakpoints(), expected.breakpoints()));
                auto const middle = curve.breakpoints().size() / 2;
                CHECK(evaluate_formula(problem, curve.sequence(middle)).peak == curve.breakpoints()[middle].budget);
                auto const budget = curve.breakpoints()[middle].budget;
                auto const best = solve_lower_sets(problem, {.choice = family_choice::all,
                                                             .goal = goal,
                                                             .budget = budget,
                                                             .best_only = true,
                                                             .limits = {.work = no_limit}});
                REQUIRE(best.best_within(budget).has_value());
                CHECK(best.breakpoints()[*best.best_within(budget)].overhead == curve.breakpoints()[middle].overhead);
                auto const rough = solve_lower_sets(problem, {.choice = family_choice::all,
                                                              .goal = goal,
                                                              .resolution = greatest / 3,
                                                              .limits = {.work = no_limit}});
                for (std::size_t k = 1; k < rough.breakpoints().size(); ++k)
                    CHECK(std::abs(rough.breakpoints()[k].overhead - rough.breakpoints()[0].overhead) >
                          std::abs(rough.breakpoints()[k - 1].overhead - rough.breakpoints()[0].overhead));
            }
        }
}

TEST_CASE("a budget and a limit on the overhead cut the exact curve off", "[exact_curve][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::random_weighted_dag(random, 10, 50, 10);
        auto const problem = g.problem();
        auto const whole = solve_lower_sets(problem, {.choice = family_choice::all, .limits = {.work = no_limit}});
        auto const& point = whole.breakpoints()[below(random, whole.breakpoints().size())];
        auto const budget = std::max(bytes{0}, point.budget - support::between(random, 0, 1));
        auto const first = whole.best_within(budget).value_or(whole.breakpoints().size());
        auto const cut =
            solve_lower_sets(problem, {.choice = family_choice::all, .budget = budget, .limits = {.work = no_limit}});
        RC_ASSERT(std::ranges::equal(cut.breakpoints(), whole.breakpoints().subspan(first)));

        auto const best = solve_lower_sets(
            problem, {.choice = family_choice::all, .budget = budget, .best_only = true, .limits = {.work = no_limit}});
        RC_ASSERT(best.breakpoints().empty() == cut.breakpoints().empty());
        if (!best.breakpoints().empty()) RC_ASSERT(best.breakpoints().front() == cut.breakpoints().front());

        auto const limit = std::max(std::int64_t{0}, point.overhead - support::between(random, 0, 1));
        auto const within =
            std::ranges::count_if(whole.breakpoints(), [&](auto const& b) { return b.overhead <= limit; });
        auto const cheap =
            solve_lower_sets(problem, {.choice = family_choice::all, .overhead = limit, .limits = {.work = no_limit}});
        RC_ASSERT(std::ranges::equal(cheap.breakpoints(), whole.breakpoints().first(static_cast<std::size_t>(within))));
    }));
}

TEST_CASE("with a resolution bound and overhead enclose the exact curve", "[exact_curve][property]") {
    std::size_t merged = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        for (int i = 0; i < 5; ++i) {
            auto const g = support::random_weighted_dag(random, 10, 1000, 10);
            auto const problem = g.problem();
            auto const exact = solve_lower_sets(problem, {.choice = family_choice::all, .limits = {.work = no_limit}});
            auto const rough = solve_lower_sets(problem, {.choice = family_choice::all,
                                                          .resolution = support::between(random, 1, 900),
                                                          .limits = {.work = no_limit}});
            RC_ASSERT(rough.least_budget() == exact.least_budget());
            for (auto const& e : exact.breakpoints()) {
                auto const& r = rough.breakpoints()[*rough.best_within(e.budget)];
                RC_ASSERT(r.bound <= e.overhead);
                RC_ASSERT(e.overhead <= r.overhead);
                merged += r.overhead != e.overhead ? 1 : 0;
            }
        }
    }));
    CHECK(merged > 0);
}

TEST_CASE("with a resolution bound and overhead enclose the exact curve in windows of overhead, too", "[exact_curve]") {
    std::size_t merged = 0;
    for (std::uint64_t seed = 1; seed < 40; seed += 2) {
        INFO("seed " << seed);
        support::split_mix random(seed);
        auto const g = crossing_branches(random);
        auto const problem = g.problem();
        auto const exact = solve_lower_sets(family_of_all(problem), lower_set_options{});
        detail::exact_curve_search const search(problem, no_limit, detail::never_stop{}, 1);
        for (std::int64_t resolution = 2; resolution <= 30; resolution += 4) {
            auto const rough = search.run({.resolution = resolution}, no_progress{});
            REQUIRE(rough);
            CHECK(std::ranges::adjacent_find(rough->breakpoints(), [](auto const& one, auto const& next) {
                      return next.overhead <= one.overhead || next.budget >= one.budget;
                  }) == rough->breakpoints().end());
            for (auto const& e : exact.breakpoints()) {
                auto const& r = rough->breakpoints()[*rough->best_within(e.budget)];
                CHECK(r.bound <= e.overhead);
                CHECK(e.overhead <= r.overhead);
                merged += r.overhead != e.overhead ? 1 : 0;
            }
        }
    }
    CHECK(merged > 0);
}

TEST_CASE("the curve of a family between the pruned one and all lies between theirs", "[exact_curve][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::random_weighted_dag(random, 10, 50, 10);
        auto const problem = g.problem();
        auto const pruned = lower_set_family::pruned(problem);
        auto const all = family_of_all(problem);
        auto const some = pruned.size() + below(random, all.size() - pruned.size() + 1);
        lower_set_family const between(problem,
                                       detail::close_lower_sets(detail::pruned_lower_sets(problem.graph), some));
        RC_ASSERT(between.size() == some);
        auto const least = solve_lower_sets(problem, {.choice = family_choice::all, .limits = {.work = no_limit}});
        auto const curve = solve_lower_sets(between, {});
        for (auto const& b : curve.breakpoints())
            RC_ASSERT(least.breakpoints()[*least.best_within(b.budget)].overhead <= b.overhead);
        auto const rough = solve_lower_sets(pruned, {});
        for (auto const& b : rough.breakpoints())
            RC_ASSERT(curve.breakpoints()[*curve.best_within(b.budget)].overhead <= b.overhead);
    }));
}

TEST_CASE("the best within a limit on the overhead is within it", "[exact_curve][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const problem = support::random_weighted_dag(random, 9, 500'000'000, 10).problem();
        auto const whole = solve_lower_sets(problem, {.choice = family_choice::all, .limits = {.work = no_limit}});
        auto const& point = whole.breakpoints()[below(random, whole.breakpoints().size())];
        for (std::int64_t const less : {0, 1}) {
            if (point.overhead < less) continue;
            auto const best = solve_lower_sets(problem, {.choice = family_choice::all,
                                                         .budget = point.budget,
                                                         .overhead = point.overhead - less,
                                                         .best_only = true,
                                                         .limits = {.work = no_limit}});
            RC_ASSERT(best.best_within(point.budget).has_value() == (less == 0));
        }
    }));
}

TEST_CASE("negative limits leave an empty curve, and a negative resolution is refused", "[exact_curve]") {
    weighted_dag const g{support::chain(4), {1, 2, 3, 4}, {5, 5, 5, 5}, {0, 0, 0, 0}};
    auto const problem = g.problem();
    auto const nothing = weighted_dag{}.problem();
    constexpr auto least = std::numeric_limits<std::int64_t>::min();
    for (auto const goal : {objective::time, objective::memory})
        for (bool const best_only : {false, true}) {
            for (bytes const budget : {bytes{-1}, bytes{least}}) {
                lower_set_options const options{.goal = goal, .budget = budget, .best_only = best_only};
                CHECK(
                    solve_lower_sets(problem, support::with_choice(options, family_choice::all)).breakpoints().empty());
                CHECK(
                    solve_lower_sets(nothing, support::with_choice(options, family_choice::all)).breakpoints().empty());
                CHECK(solve_lower_sets(family_of_all(problem), options).breakpoints().empty());
            }
            CHECK(support::throws<bad_weight>(
                [&] {
                    return solve_lower_sets(
                        problem,
                        {.choice = family_choice::all, .goal = goal, .resolution = -3, .best_only = best_only});
                },
                {"-3"}));
        }
    CHECK(solve_lower_sets(problem, {.choice = family_choice::all, .overhead = least}).breakpoints().empty());
    auto const any_budget = solve_lower_sets(problem, {.choice = family_choice::all, .best_only = true});
    CHECK(std::ranges::equal(any_budget.breakpoints(),
                             solve_lower_sets(problem, {.choice = family_choice::all}).breakpoints()));
}

TEST_CASE("times may sum to the greatest representable number", "[exact_curve]") {
    constexpr auto greatest = std::numeric_limits<std::int64_t>::max();
    weighted_dag const g{support::chain(3), {greatest / 2, greatest / 2, 1}, {1, 1, 1}, {0, 0, 0}};
    auto const problem = g.problem();
    auto const curve = solve_lower_sets(problem, {.choice = family_choice::all, .budget = 5});
    REQUIRE(!curve.breakpoints().empty());
    CHECK(curve.breakpoints().front().overhead == 1);
    CHECK(solve_lower_sets(problem, {.choice = family_choice::all, .budget = 5, .best_only = true})
              .breakpoints()
              .front()
              .overhead == 1);
}

TEST_CASE("irreducible blocks make the curve of the greatest overhead, too", "[exact_curve][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g =
            chance(random, 30) ? crossing_branches(random) : support::random_weighted_dag(random, 10, 50, 10);
        auto const problem = g.problem();
        auto const all = family_of_all(problem);
        for (bool const keep_last : {false, true}) {
            lower_set_options const options{.goal = objective::memory, .keep_last = keep_last};
            auto const expected = solve_lower_sets(all, options);
            auto const curve = solve_lower_sets(problem, support::with_choice(options, family_choice::all, no_limit));
            RC_ASSERT(std::ranges::equal(curve.breakpoints(), expected.breakpoints()));
            for (std::size_t k = 0; k < curve.breakpoints().size(); ++k) {
                auto const cost = evaluate_formula(problem, curve.sequence(k), keep_last);
                RC_ASSERT(cost.overhead == curve.breakpoints()[k].overhead);
                RC_ASSERT(cost.peak == curve.breakpoints()[k].budget);
            }
        }
    }));
}
