// Covers lower_sets/lower_set_family.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <rapidcheck.h>

#include <repebble/lower_sets/lower_set_family.hpp>

#include "support/brute_force.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/throws.hpp"

using namespace repebble;
using support::mask;
using support::set_of;
using support::throws;

namespace {

auto masks_of(lower_set_family const& family) -> std::vector<mask> {
    std::vector<mask> sets;
    for (std::size_t i = 0; i < family.size(); ++i) {
        sets.push_back(0);
        for (auto const v : family[i].to_vector()) sets.back() |= mask{1} << v;
    }
    return sets;
}

auto same_sets(std::vector<mask> a, std::vector<mask> b) -> bool {
    std::ranges::sort(a);
    std::ranges::sort(b);
    return a == b;
}

}  // namespace

TEST_CASE("a family goes from the empty set to V, each set once and after its subsets", "[lower_set_family]") {
    support::weighted_dag const g{support::chain(3), {1, 1, 1}, {1, 1, 1}, {0, 0, 0}};
    auto const problem = g.problem();
    lower_set_family const family(problem, {set_of(0b011, 3), set_of(0b001, 3), set_of(0b011, 3)});
    CHECK(masks_of(family) == std::vector<mask>{0, 0b001, 0b011, 0b111});
    CHECK(family.full() == 3);
    CHECK(masks_of(lower_set_family(problem, {})) == std::vector<mask>{0, 0b111});
}

TEST_CASE("the family of the empty graph is the empty set", "[lower_set_family]") {
    auto const problem = support::weighted_dag{}.problem();
    CHECK(lower_set_family::all(problem, 1).size() == 1);
    CHECK(lower_set_family::pruned(problem).full() == 0);
}

TEST_CASE("more lower sets than the limit are refused, exactly the limit is accepted", "[lower_set_family]") {
    support::weighted_dag const g{support::adjacency(4), {1, 1, 1, 1}, {1, 1, 1, 1}, {0, 0, 0, 0}};
    auto const problem = g.problem();
    CHECK(lower_set_family::all(problem, 16).size() == 16);
    CHECK(
        throws<limit_reached>([&] { return lower_set_family::all(problem, 15).size(); }, {"more than 15 lower sets"}));
}

TEST_CASE("families, their sums and the costs of their segments are as defined", "[lower_set_family][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::random_weighted_dag(random, 8, 9, support::below(random, 2) * 25);
        auto const problem = g.problem();
        support::brute_force const brute(g);
        auto const all = lower_set_family::all(problem, 1000);
        auto const pruned = lower_set_family::pruned(problem);
        RC_ASSERT(same_sets(masks_of(all), brute.lower_sets()));
        RC_ASSERT(same_sets(masks_of(pruned), brute.pruned_lower_sets()));

        for (auto const* family : {&all, &pruned}) {
            auto const sets = masks_of(*family);
            for (std::size_t i = 0; i < sets.size(); ++i) {
                RC_ASSERT(family->time(i) == brute.time(sets[i]));
                RC_ASSERT(family->boundary_memory(i) == brute.memory(brute.boundary(sets[i])));
                std::vector<std::size_t> expected;
                for (std::size_t j = 0; j < sets.size(); ++j)
                    if (j != i && (sets[i] & ~sets[j]) == 0) expected.push_back(j);
                std::vector<std::size_t> found;
                family->for_each_superset(i, [&](std::size_t j) { found.push_back(j); });
                RC_ASSERT(found == expected);
                for (auto const j : found) {
                    auto const l = sets[j];
                    auto const segment = l & ~sets[i];
                    auto const cost = family->cost(i, j, false);
                    RC_ASSERT(cost.overhead == brute.time(segment & ~brute.boundary(l)));
                    RC_ASSERT(cost.cached == brute.memory(segment & brute.boundary(l)));
                    RC_ASSERT(cost.working == 2 * brute.memory(segment) + brute.memory(brute.out(l) & ~l) +
                                                  brute.memory(brute.in(brute.out(l)) & ~l));
                    RC_ASSERT(family->cost(i, j, true).overhead == (j == family->full() ? 0 : cost.overhead));
                }
            }
        }
    }));
}
