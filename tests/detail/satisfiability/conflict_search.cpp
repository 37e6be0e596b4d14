// Covers detail/satisfiability/conflict_search.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <repebble/detail/satisfiability/conflict_search.hpp>

#include "detail/satisfiability/random_clauses.hpp"
#include "support/catch.hpp"

using namespace repebble;
using detail::literal;
using detail::satisfaction;

namespace {

constexpr std::size_t no_limit = 1'000'000;

struct three_variables {
    detail::conflict_search search{};
    literal a = search.add_variable(), b = search.add_variable(), c = search.add_variable();
};

}  // namespace

TEST_CASE("conflict_search: a clause makes its last literal true") {
    three_variables v;
    v.search.add_clause(std::vector{v.a, !v.b, v.c});
    REQUIRE(v.search.solve(std::vector{!v.a, v.b}, no_limit) == satisfaction::satisfiable);
    CHECK_FALSE(v.search.is_true(v.a));
    CHECK(v.search.is_true(v.b));
    CHECK(v.search.is_true(v.c));
    CHECK(v.search.is_true(!v.a));
}

TEST_CASE("conflict_search: a core has the assumptions that matter, and no others") {
    three_variables v;
    v.search.add_clause(std::vector{!v.a, !v.c});
    CHECK(v.search.solve(std::vector{v.a, v.b, v.c}, no_limit) == satisfaction::unsatisfiable);
    CHECK(v.search.core().size() == 2);
    CHECK_FALSE(v.search.is_contradictory());
    CHECK(v.search.solve(std::vector{v.a, v.b}, no_limit) == satisfaction::satisfiable);
    SECTION("two of which contradict each other") {
        CHECK(v.search.solve(std::vector{v.b, v.a, !v.b}, no_limit) == satisfaction::unsatisfiable);
        CHECK(v.search.core().size() == 2);
    }
    SECTION("one of which is false in any case") {
        v.search.add_clause(std::vector{!v.a});
        CHECK(v.search.solve(std::vector{v.b, v.a}, no_limit) == satisfaction::unsatisfiable);
        CHECK(v.search.core() == std::vector{v.a});
    }
}

TEST_CASE("conflict_search: literals that no longer fit in a knapsack are false") {
    three_variables v;
    v.search.add_row({{3, v.a}, {2, v.b}, {4, v.c}}, 5);
    REQUIRE(v.search.solve(std::vector{v.a}, no_limit) == satisfaction::satisfiable);
    CHECK_FALSE(v.search.is_true(v.c));
    CHECK(v.search.solve(std::vector{v.b, v.c}, no_limit) == satisfaction::unsatisfiable);
    CHECK(v.search.core().size() == 2);
    CHECK(v.search.solve(std::vector{v.b, v.a}, no_limit) == satisfaction::satisfiable);
}

TEST_CASE("conflict_search: the core of contradictory constraints is empty") {
    three_variables v;
    SECTION("by an empty clause") { v.search.add_clause({}); }
    SECTION("by clauses of one literal") {
        v.search.add_clause(std::vector{v.a});
        v.search.add_clause(std::vector{!v.a, v.a});
        CHECK_FALSE(v.search.is_contradictory());
        v.search.add_clause(std::vector{!v.a});
    }
    SECTION("by a knapsack of true literals") {
        v.search.add_clause(std::vector{v.a});
        v.search.add_row({{2, v.a}, {1, v.b}}, 1);
    }
    SECTION("by a knapsack of negative capacity") { v.search.add_row({}, -1); }
    CHECK(v.search.is_contradictory());
    CHECK(v.search.solve(std::vector{v.b}, no_limit) == satisfaction::unsatisfiable);
    CHECK(v.search.core().empty());
}

TEST_CASE("conflict_search: random clauses and knapsacks under assumptions, against all assignments", "[property]") {
    support::split_mix random(7);
    std::size_t satisfied = 0, refuted = 0;
    for (int k = 0; k < 400; ++k) {
        auto const problem = support::random_clauses(random, 4 + support::below(random, 8));
        detail::conflict_search search;
        auto const variables = support::add_to(search, problem);
        for (int times = 0; times < 6; ++times) {  // what was learned before stays
            std::vector<literal> assumptions;
            for (auto const v : variables)
                if (support::chance(random, 25)) assumptions.push_back(support::chance(random, 50) ? v : !v);
            auto const answer = search.solve(assumptions, no_limit);
            auto const expected = support::is_satisfiable(problem, assumptions);
            REQUIRE(answer == (expected ? satisfaction::satisfiable : satisfaction::unsatisfiable));
            if (expected) {
                ++satisfied;
                std::uint32_t found = 0;
                for (auto const v : variables)
                    if (search.is_true(v)) found |= 1U << v.variable();
                REQUIRE(support::is_satisfied(problem, found));
                for (auto const l : assumptions) REQUIRE(search.is_true(l));
            } else {
                ++refuted;
                for (auto const l : search.core()) REQUIRE(std::ranges::find(assumptions, l) != assumptions.end());
                REQUIRE_FALSE(support::is_satisfiable(problem, search.core()));
            }
        }
    }
    CHECK(satisfied > 200);
    CHECK(refuted > 200);
}

TEST_CASE("conflict_search: pigeons do not fit, which takes conflicts, restarts and forgetting") {
    constexpr std::size_t holes = 7;
    detail::conflict_search search;
    std::vector<std::vector<literal>> in(holes + 1);
    for (auto& pigeon : in)
        for (std::size_t h = 0; h < holes; ++h) pigeon.push_back(search.add_variable());
    for (auto const& pigeon : in) search.add_clause(pigeon);
    for (std::size_t h = 0; h < holes; ++h)
        for (std::size_t p = 0; p <= holes; ++p)
            for (std::size_t q = 0; q < p; ++q) search.add_clause(std::vector{!in[p][h], !in[q][h]});
    CHECK(search.solve({}, 10) == satisfaction::limit);
    std::size_t tries = 1;
    while (search.solve({}, 1000) == satisfaction::limit) ++tries;
    CHECK(search.is_contradictory());
    CHECK(tries > 1);
    CHECK(search.work() > 10'000);
}
