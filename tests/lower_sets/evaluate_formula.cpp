// Covers lower_sets/formula_result.hpp, lower_sets/evaluate_formula.hpp.
#include <cstddef>
#include <cstdint>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/lower_sets/detail/lower_set.hpp>
#include <repebble/lower_sets/evaluate_formula.hpp>

#include "support/brute_force.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"

using namespace repebble;
using support::weighted_dag;

namespace {

auto unit_dag(support::adjacency g) -> weighted_dag {
    auto const n = g.size();
    return {std::move(g), std::vector<std::int64_t>(n, 1), std::vector<bytes>(n, 1), std::vector<char>(n, 0)};
}

auto evaluated(weighted_dag const& g, std::vector<support::mask> const& lower, bool keep_last = false) {
    return evaluate_formula(g.problem(), support::sequence_from(lower, g.size()), keep_last);
}

using result = formula_result;

}  // namespace

TEST_CASE("kusumoto (1), (2): a chain of 4 units in segments of 1, 2 and 4", "[formula][paper]") {
    auto const chain = unit_dag(support::chain(4));
    CHECK(evaluated(chain, {0b1111}) == result{4, 8});
    CHECK(evaluated(chain, {0b0011, 0b1111}) == result{3, 5});                  // U = {1}; M(1) = 4 + 1, M(2) = 1 + 4
    CHECK(evaluated(chain, {0b0001, 0b0011, 0b0111, 0b1111}) == result{1, 5});  // M(3) = 2 + 2 + 1, M(4) = 3 + 2
    CHECK(evaluated(chain, {0b0001, 0b1111}) == result{3, 7});
}

TEST_CASE("kusumoto (1): the last segment's term is left out where it is kept", "[formula][paper]") {
    auto const chain = unit_dag(support::chain(4));
    CHECK(evaluated(chain, {0b1111}, true) == result{0, 8});
    CHECK(evaluated(chain, {0b0011, 0b1111}, true) == result{1, 5});
    CHECK(evaluated(chain, {0b0001, 0b0011, 0b0111, 0b1111}, true) == result{0, 5});
}

TEST_CASE("kusumoto (2): a diamond counts readers of the boundary and their other operands", "[formula][paper]") {
    auto const diamond = unit_dag({{1, 2}, {3}, {3}, {}});
    // L_1 = {0, 1}: ∂ = {0, 1}, δ⁺ ∖ L = {2, 3}, δ⁻ of that ∖ L = {2}: M(1) = 4 + 2 + 1, M(2) = 2 + 4.
    CHECK(evaluated(diamond, {0b0011, 0b1111}) == result{2, 7});
    CHECK(evaluated(diamond, {0b0001, 0b1111}) == result{3, 7});
    CHECK(evaluated(diamond, {0b0001, 0b0111, 0b1111}) == result{1, 6});
}

TEST_CASE("kusumoto (1), (2): weights are those of the vertices", "[formula][paper]") {
    weighted_dag const g{support::chain(3), {10, 1, 100}, {7, 5, 3}, {0, 0, 0}};
    CHECK(evaluated(g, {0b001, 0b111}) == result{101, 23});  // M(1) = 14 + 5, M(2) = 7 + 16
    CHECK(evaluated(g, {0b011, 0b111}) == result{110, 27});  // M(1) = 24 + 3, M(2) = 5 + 6
}

TEST_CASE("a pinned vertex is cached from its segment on", "[formula]") {
    auto chain = unit_dag(support::chain(4));
    chain.pinned[0] = 1;
    CHECK(evaluated(chain, {0b0011, 0b1111}) == result{2, 6});  // U = {0, 1}
    chain.pinned[3] = 1;
    CHECK(evaluated(chain, {0b0011, 0b1111}) == result{1, 6});  // also in the last segment
}

TEST_CASE("the empty sequence of the empty graph costs nothing", "[formula]") {
    CHECK(evaluated(unit_dag({}), {}) == result{0, 0});
}

TEST_CASE("formulas (1) and (2) agree with kusumoto's definitions, vertex by vertex", "[formula][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        for (int i = 0; i < 20; ++i) {
            auto const g = support::random_weighted_dag(random, 12, 9, support::below(random, 2) * 20);
            auto const sequence = support::random_sequence(random, g);
            for (bool const keep_last : {false, true}) {
                auto const found = evaluated(g, sequence, keep_last);
                auto const expected = support::brute_force(g).evaluate(sequence, keep_last);
                RC_ASSERT(found.overhead == expected.overhead);
                RC_ASSERT(found.peak == expected.peak);
            }
        }
    }));
}

TEST_CASE("formulas (1) and (2) in terms of boundary, out_neighbours and in_neighbours", "[formula][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::random_weighted_dag(random, 25);
        auto const n = g.size();
        result expected;
        vertex_set cached(n);
        vertex_set before(n);
        auto const lower = support::random_sequence(random, g);
        for (auto const bits : lower) {
            auto const set = support::set_of(bits, n);
            auto const segment = set - before;
            auto const readers = detail::out_neighbours(g.graph, set);
            expected.peak = std::max(expected.peak, cached.sum(g.memory) + 2 * segment.sum(g.memory) +
                                                        (readers - set).sum(g.memory) +
                                                        (detail::in_neighbours(g.graph, readers) - set).sum(g.memory));
            expected.overhead += (segment - detail::boundary(g.graph, set)).sum(g.time);
            cached |= detail::boundary(g.graph, set);
            before = set;
        }
        RC_ASSERT(evaluated(g, lower) == expected);
        RC_ASSERT(expected.overhead == (vertex_set::full(n) - cached).sum(g.time));
    }));
}
