// Covers lower_sets/evaluate_formula.hpp, lower_sets/detail/least_cached.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/lower_sets/detail/least_cached.hpp>
#include <repebble/lower_sets/evaluate_formula.hpp>
#include <repebble/lower_sets/lower_set_limit.hpp>

#include "support/brute_force.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/throws.hpp"

using namespace repebble;
using support::below;
using support::chance;
using support::mask;
using support::weighted_dag;

namespace {

/// Bytes cached and overhead.
using cost = std::pair<bytes, std::int64_t>;

/// The least cost of all sequences of a small graph, by enumeration.
auto least_of_all(weighted_dag const& g, bytes budget) -> std::optional<cost> {
    support::brute_force const brute(g);
    std::optional<cost> least;
    brute.for_each_sequence(brute.lower_sets(), [&](auto const& sequence) {
        auto const evaluated = brute.evaluate(sequence, false);
        if (evaluated.peak > budget) return;
        mask cached = 0;
        for (auto const l : sequence) cached |= brute.boundary(l);
        bytes size = 0;
        for (std::size_t v = 0; v < g.size(); ++v)
            if (support::has(cached, v)) size += g.memory[v];
        cost const found{size, evaluated.overhead};
        if (!least || found < *least) least = found;
    });
    return least;
}

auto cost_of(lower_set_problem const& problem, lower_set_sequence const& sequence) -> cost {
    lower_set_family const sets(problem, sequence.lower_sets());
    cost sum{0, 0};
    for (std::size_t i = 0; i + 1 < sets.size(); ++i) {
        auto const segment = sets.cost(i, i + 1, false);
        sum.first += segment.cached;
        sum.second += segment.overhead;
    }
    return sum;
}

}  // namespace

TEST_CASE("a chain that fits in one segment caches nothing", "[least_cached]") {
    weighted_dag const g{support::chain(4), {1, 2, 3, 4}, {5, 5, 5, 5}, {0, 0, 0, 0}};
    auto const problem = g.problem();
    auto const whole = detail::least_cached(problem, 40, default_lower_set_limit);
    REQUIRE(whole.has_value());
    CHECK(whole->count == 1);
    CHECK(cost_of(problem, *whole) == cost{0, 10});
    auto const less = detail::least_cached(problem, 39, default_lower_set_limit);
    REQUIRE(less.has_value());
    CHECK(cost_of(problem, *less).first == 5);
    CHECK(detail::least_cached(problem, 9, default_lower_set_limit) == std::nullopt);
    CHECK(support::throws<limit_reached>([&] { return detail::least_cached(problem, 40, 4); },
                                         {"more than 4 lower sets"}));
}

TEST_CASE("the result has the least cached bytes of all sequences, then the least overhead",
          "[least_cached][property]") {
    std::size_t fitted = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::random_weighted_dag(random, 7, 9, chance(random, 30) ? 25 : 0);
        support::brute_force const brute(g);
        if (brute.count_sequences(brute.lower_sets()) > 2000) return;
        auto const problem = g.problem();
        auto const all = lower_set_family::all(problem, 1'000'000);
        bytes const budget = support::between(random, 0, 60);
        auto const expected = least_of_all(g, budget);
        for (auto const& found :
             {detail::least_cached(problem, budget, default_lower_set_limit), detail::least_cached(all, budget)}) {
            RC_ASSERT(found.has_value() == expected.has_value());
            if (!found) continue;
            RC_ASSERT(cost_of(problem, *found) == *expected);
            RC_ASSERT(evaluate_formula(problem, *found).peak <= budget);
            ++fitted;
        }
    }));
    CHECK(fitted > 0);
}
