// Covers lower_sets/lower_set_problem.hpp.
#include <cstdint>
#include <limits>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/lower_sets/lower_set_problem.hpp>

#include "support/archetypes.hpp"
#include "support/brute_force.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/throws.hpp"

using namespace repebble;
using support::set_of;
using support::throws;

TEST_CASE("the problem of a graph: its edges, a time and all bytes per vertex", "[lower_set_problem]") {
    support::rich_graph const g{{{.readers = {{1, {0}}}, .outputs = {{4}, {5}}}, {.outputs = {}}}};
    auto const problem = make_lower_set_problem(
        g, [](int v) { return 10 * v; }, g.memory());
    CHECK(problem.vertex_count() == 2);
    CHECK(problem.graph.successors(0).front() == 1);
    CHECK(problem.time == std::vector<std::int64_t>{0, 10});
    CHECK(problem.memory == std::vector<bytes>{9, 0});
    CHECK(problem.pinned == vertex_set(2));
}

TEST_CASE("a vertex that is not recomputable is pinned", "[lower_set_problem]") {
    support::weighted_dag const g{support::chain(3), {1, 2, 3}, {4, 5, 6}, {0, 1, 0}};
    CHECK(g.problem().pinned == set_of(0b010, 3));
}

TEST_CASE("bytes whose sums in formula (2) overflow are refused", "[lower_set_problem]") {
    auto const memory = [](std::int64_t most) { return [most](int) { return most; }; };
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    auto const pair = support::chain(2);
    CHECK(make_lower_set_problem(pair, unit_weight{}, memory(most / 10)).memory.front() == most / 10);
    CHECK(throws<bad_weight>([&] { return make_lower_set_problem(pair, unit_weight{}, memory(most / 9)); },
                             {"overflows"}));
    CHECK_THROWS_AS(make_lower_set_problem(support::adjacency{{1}, {0}}), not_a_dag);
}

TEST_CASE("a sequence stores the segment of every vertex", "[lower_set_problem]") {
    auto const sequence = lower_set_sequence::of({set_of(0b0010, 4), set_of(0b0111, 4), set_of(0b1111, 4)}, 4);
    CHECK(sequence == lower_set_sequence{{1, 0, 1, 2}, 3});
    CHECK(support::masks_of(sequence) == std::vector<support::mask>{0b0010, 0b0111, 0b1111});
    CHECK(lower_set_sequence::of({set_of(0, 2), set_of(1, 2), set_of(1, 2), set_of(3, 2)}, 2) ==
          lower_set_sequence{{0, 1}, 2});
    CHECK(lower_set_sequence::of({}, 0) == lower_set_sequence{});
}

TEST_CASE("sets that do not increase, do not end with V, or are of another graph, are refused", "[lower_set_problem]") {
    CHECK(throws<bad_graph>(
        [] {
            return lower_set_sequence::of({set_of(1, 2), set_of(2, 2), set_of(3, 2)}, 2);
        },
        {"lower set 1"}));
    CHECK(throws<bad_graph>([] { return lower_set_sequence::of({set_of(1, 2)}, 2); }, {"does not end with V"}));
    CHECK(throws<bad_graph>([] { return lower_set_sequence::of({}, 1); }, {"does not end with V"}));
    CHECK(throws<bad_graph>(
        [] {
            return lower_set_sequence::of({set_of(1, 2), set_of(7, 3)}, 2);
        },
        {"lower set 1", "3 vertices"}));
}

TEST_CASE("the lower sets of a sequence give the sequence again", "[lower_set_problem][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::random_weighted_dag(random, 20);
        auto const lower = support::random_sequence(random, g);
        RC_ASSERT(support::masks_of(support::sequence_from(lower, g.size())) == lower);
    }));
}
