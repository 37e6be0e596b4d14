// Covers lower_sets/evaluate_formula.hpp, lower_sets/detail/family_segments.hpp, lower_sets/solve_lower_sets.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <rapidcheck.h>

#include <repebble/lower_sets/evaluate_formula.hpp>
#include <repebble/lower_sets/solve_lower_sets.hpp>

#include "support/brute_force.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"

using namespace repebble;
using support::below;
using support::best_by_budget;
using support::brute_force;
using support::weighted_dag;

namespace {

constexpr std::size_t every = 1'000'000;

/// A graph of up to 9 vertices whose sequences of lower sets can be enumerated. Times are small, or so large that the
/// curve uses no tables.
auto small_dag(support::split_mix& random, std::int64_t greatest_time = 0) -> weighted_dag {
    constexpr std::size_t most_sequences = 250;
    if (greatest_time == 0)
        greatest_time = support::chance(random, 50) ? 4 : support::chance(random, 50) ? 99 : 500'000'000;
    for (;;) {
        auto g = support::random_weighted_dag(random, 9, greatest_time, below(random, 4) == 0 ? 25 : 0);
        brute_force const brute(g);
        if (brute.count_sequences(brute.lower_sets()) <= most_sequences) return g;
    }
}

/// Calls visit(goal, keep_last) for every combination.
template <class F>
void for_each_setting(F&& visit) {
    for (auto const goal : {objective::time, objective::memory})
        for (bool const keep_last : {false, true}) visit(goal, keep_last);
}

auto is_better(objective goal, std::int64_t a, std::int64_t b) -> bool {
    return goal == objective::time ? a < b : a > b;
}

/// At every budget the curve has the overhead of the best of all sequences.
void agrees(lower_set_curve const& curve, best_by_budget const& expected) {
    RC_ASSERT(curve.least_budget() == expected.least_budget());
    for (auto const budget : expected.budgets()) {
        auto const at = curve.best_within(budget);
        auto const best = expected.within(budget);
        RC_ASSERT(at.has_value() == best.has_value());
        if (at) RC_ASSERT(curve.breakpoints()[*at].overhead == *best);
    }
}

/// Breakpoints are strictly monotone, and the formulas of each one's sequence are those of the breakpoint.
void is_consistent(lower_set_curve const& curve, lower_set_family const& family, objective goal, bool keep_last) {
    auto const points = curve.breakpoints();
    for (std::size_t k = 0; k < points.size(); ++k) {
        auto const cost = evaluate_formula(family.problem(), curve.sequence(k), keep_last);
        RC_ASSERT(cost.overhead == points[k].overhead);
        RC_ASSERT(cost.peak == points[k].budget);
        if (k == 0) continue;
        RC_ASSERT(points[k].budget < points[k - 1].budget);
        RC_ASSERT(is_better(goal, points[k - 1].overhead, points[k].overhead));
    }
}

void is_exact(weighted_dag const& g) {
    auto const problem = g.problem();
    brute_force const brute(g);
    auto const all = lower_set_family::all(problem, every);
    auto const pruned = lower_set_family::pruned(problem);
    for_each_setting([&](objective goal, bool keep_last) {
        lower_set_options const options{.goal = goal, .keep_last = keep_last};
        auto const exact = solve_lower_sets(all, options);
        agrees(exact, best_by_budget(brute.all_costs(brute.lower_sets(), keep_last), goal));
        is_consistent(exact, all, goal, keep_last);
        auto const approximate = solve_lower_sets(pruned, options);
        agrees(approximate, best_by_budget(brute.all_costs(brute.pruned_lower_sets(), keep_last), goal));
        is_consistent(approximate, pruned, goal, keep_last);
        for (auto const& b : exact.breakpoints()) RC_ASSERT(b.bound == b.overhead);
        for (auto const& b : approximate.breakpoints()) {
            auto const better = exact.breakpoints()[*exact.best_within(b.budget)].overhead;
            RC_ASSERT(!is_better(goal, b.overhead, better));
        }
    });
}

struct listener {
    std::vector<double> shares{};
    void progress(double x) { shares.push_back(x); }
};

}  // namespace

TEST_CASE("kusumoto: the curve of a chain of 5 units", "[lower_set_curve][paper]") {
    weighted_dag const g{support::chain(5), std::vector<std::int64_t>(5, 1), std::vector<bytes>(5, 1),
                         std::vector<char>(5)};
    auto const problem = g.problem();
    auto const family = lower_set_family::all(problem, every);
    auto const curve = solve_lower_sets(family, {});
    using breakpoint = lower_set_curve::breakpoint;
    auto const points = curve.breakpoints();
    CHECK(std::vector<breakpoint>(points.begin(), points.end()) == std::vector<breakpoint>{{1, 6, 1}, {2, 5, 2}});
    CHECK(curve.least_budget() == 5);
    CHECK(curve.best_within(4) == std::nullopt);
    CHECK(curve.best_within(5) == 1);
    CHECK(curve.best_within(99) == 0);
    CHECK(curve.sequence(0).count == 5);
    CHECK_THROWS_AS(curve.sequence(2), precondition_violated);
}

TEST_CASE("the curve of the empty graph is one point", "[lower_set_curve]") {
    auto const problem = weighted_dag{}.problem();
    auto const family = lower_set_family::all(problem, every);
    auto const curve = solve_lower_sets(family, {});
    REQUIRE(curve.breakpoints().size() == 1);
    CHECK(curve.breakpoints().front() == lower_set_curve::breakpoint{0, 0, 0});
    CHECK(curve.sequence(0) == lower_set_sequence{});
}

TEST_CASE("an empty curve has no least budget", "[lower_set_curve]") {
    CHECK(lower_set_curve{}.least_budget() == std::nullopt);
    CHECK(lower_set_curve{}.best_within(5) == std::nullopt);
}

TEST_CASE("the curves are the best of all sequences at every budget", "[lower_set_curve][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        for (int i = 0; i < 10; ++i) is_exact(small_dag(random));
    }));
}

TEST_CASE("a budget cuts the curve off and changes nothing else", "[lower_set_curve][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = small_dag(random);
        auto const problem = g.problem();
        auto const family = lower_set_family::all(problem, every);
        for_each_setting([&](objective goal, bool keep_last) {
            auto const whole = solve_lower_sets(family, {.goal = goal, .keep_last = keep_last});
            auto const points = whole.breakpoints();
            auto const budget =
                std::max(bytes{0}, points[below(random, points.size())].budget - support::between(random, 0, 1));
            auto const cut = solve_lower_sets(family, {.goal = goal, .keep_last = keep_last, .budget = budget});
            auto const first = whole.best_within(budget).value_or(points.size());
            RC_ASSERT(std::ranges::equal(cut.breakpoints(), points.subspan(first)));
        });
    }));
}

TEST_CASE("a limit on the overhead cuts the curve off at the other end", "[lower_set_curve][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = small_dag(random);
        auto const problem = g.problem();
        auto const family = lower_set_family::all(problem, every);
        auto const whole = solve_lower_sets(family, {});
        auto const points = whole.breakpoints();
        auto const limit =
            std::max(std::int64_t{0}, points[below(random, points.size())].overhead - support::between(random, 0, 1));
        auto const cut = solve_lower_sets(family, {.overhead = limit});
        auto const within = std::ranges::count_if(points, [&](auto const& b) { return b.overhead <= limit; });
        RC_ASSERT(std::ranges::equal(cut.breakpoints(), points.first(static_cast<std::size_t>(within))));
        RC_ASSERT(solve_lower_sets(family, {.goal = objective::memory, .overhead = limit}).breakpoints().size() ==
                  solve_lower_sets(family, {.goal = objective::memory}).breakpoints().size());
    }));
}

TEST_CASE("with a resolution a limit on the overhead loses nothing within it", "[lower_set_curve][property]") {
    std::size_t found = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = small_dag(random, 1000);
        auto const problem = g.problem();
        brute_force const brute(g);
        auto const family = lower_set_family::all(problem, every);
        best_by_budget const expected(brute.all_costs(brute.lower_sets(), false), objective::time);
        std::int64_t const limit = support::between(random, 0, family.time(family.full()));
        auto const curve =
            solve_lower_sets(family, {.resolution = support::between(random, 1, 900), .overhead = limit});
        for (auto const budget : expected.budgets()) {
            auto const best = expected.within(budget);
            if (!best || *best > limit) continue;
            auto const at = curve.best_within(budget);
            RC_ASSERT(at.has_value());
            RC_ASSERT(curve.breakpoints()[*at].bound <= *best);
            RC_ASSERT(curve.breakpoints()[*at].overhead >= *best);
            ++found;
        }
    }));
    CHECK(found > 0);
}

TEST_CASE("with a resolution the least budget is exact, and the bound lies below the best",
          "[lower_set_curve][property]") {
    std::size_t merged = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        for (int i = 0; i < 5; ++i) {
            auto const g = small_dag(random, 1000);
            auto const problem = g.problem();
            brute_force const brute(g);
            auto const family = lower_set_family::all(problem, every);
            std::int64_t const resolution = support::between(random, 1, 900);
            for_each_setting([&](objective goal, bool keep_last) {
                auto const curve =
                    solve_lower_sets(family, {.goal = goal, .keep_last = keep_last, .resolution = resolution});
                is_consistent(curve, family, goal, keep_last);
                best_by_budget const expected(brute.all_costs(brute.lower_sets(), keep_last), goal);
                RC_ASSERT(curve.least_budget() == expected.least_budget());
                for (auto const budget : expected.budgets()) {
                    auto const best = expected.within(budget);
                    auto const at = curve.best_within(budget);
                    RC_ASSERT(at.has_value() == best.has_value());
                    if (!at) continue;
                    auto const [overhead, needed, bound] = curve.breakpoints()[*at];
                    RC_ASSERT(!is_better(goal, *best, bound));
                    RC_ASSERT(!is_better(goal, overhead, *best));
                    merged += overhead != *best ? 1 : 0;
                }
            });
        }
    }));
    CHECK(merged > 0);
}

TEST_CASE("the curve does not depend on how vertices are numbered", "[lower_set_curve][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::random_weighted_dag(random, 9, 50, 10);
        auto const h = g.relabelled(support::random_permutation(random, g.size()));
        auto const problem_g = g.problem();
        auto const problem_h = h.problem();
        auto const same = [](lower_set_family const& a, lower_set_family const& b) {
            for_each_setting([&](objective goal, bool keep_last) {
                lower_set_options const options{.goal = goal, .keep_last = keep_last};
                RC_ASSERT(std::ranges::equal(solve_lower_sets(a, options).breakpoints(),
                                             solve_lower_sets(b, options).breakpoints()));
            });
        };
        same(lower_set_family::all(problem_g, every), lower_set_family::all(problem_h, every));
        same(lower_set_family::pruned(problem_g), lower_set_family::pruned(problem_h));
    }));
}

TEST_CASE("an observer receives the share of the work, ascending to 1", "[lower_set_curve]") {
    weighted_dag const g{support::chain(9), std::vector<std::int64_t>(9, 1), std::vector<bytes>(9, 1),
                         std::vector<char>(9)};
    auto const problem = g.problem();
    listener observer;
    static_cast<void>(solve_lower_sets(lower_set_family::all(problem, every), {}, observer));
    CHECK(observer.shares.size() == 9);
    CHECK(std::ranges::is_sorted(observer.shares));
    CHECK(observer.shares.back() == 1.0);
}
