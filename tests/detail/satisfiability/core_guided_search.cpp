// Covers detail/satisfiability/conflict_search.hpp, detail/satisfiability/core_guided_search.hpp,
// detail/satisfiability/totalizer.hpp.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <repebble/detail/satisfiability/conflict_search.hpp>
#include <repebble/detail/satisfiability/core_guided_search.hpp>
#include <repebble/detail/satisfiability/totalizer.hpp>

#include "detail/satisfiability/random_clauses.hpp"
#include "support/catch.hpp"

using namespace repebble;
using detail::literal;

namespace {

constexpr auto goes_on = [] { return false; };
constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();

}  // namespace

TEST_CASE("totalizer: counts the true literals of every assignment") {
    for (std::size_t n = 1; n <= 6; ++n) {
        detail::conflict_search search;
        std::vector<literal> inputs;
        for (std::size_t k = 0; k < n; ++k) inputs.push_back(search.add_variable());
        detail::totalizer count(inputs);
        REQUIRE(count.size() == n);
        for (std::size_t limit = 1; limit <= n; ++limit) {  // asked for one after the other
            auto const more = count.at_least(limit, search);
            for (unsigned bits = 0; bits < 1U << n; ++bits) {
                std::vector<literal> assumptions{!more};
                for (std::size_t k = 0; k < n; ++k)
                    assumptions.push_back(((bits >> k) & 1U) != 0 ? inputs[k] : !inputs[k]);
                bool const can_be_fewer = search.solve(assumptions, 1000) == detail::satisfaction::satisfiable;
                REQUIRE(can_be_fewer == (static_cast<std::size_t>(std::popcount(bits)) < limit));
            }
        }
    }
}

TEST_CASE("core_guided_search: of three, two of which are true, the cheapest are paid for") {
    detail::conflict_search search;
    std::vector<literal> v;
    for (int k = 0; k < 3; ++k) v.push_back(search.add_variable());
    for (std::size_t k = 0; k < 3; ++k) search.add_clause(std::vector{v[k], v[(k + 1) % 3]});
    detail::core_guided_search cores(search, any);
    for (std::size_t k = 0; k < 3; ++k) cores.add_cost(v[k], static_cast<std::int64_t>(4 + k));
    SECTION("in the end") {
        cores.run(goes_on);
        CHECK(cores.bound() == 9);
        CHECK(cores.is_done());
    }
    SECTION("and nothing without time") {
        cores.run([] { return true; });
        CHECK(cores.bound() == 0);
        CHECK_FALSE(cores.is_done());
    }
}

TEST_CASE("core_guided_search: of so many that are true at least, each more costs once more") {
    for (std::size_t least = 1; least <= 6; ++least) {
        detail::conflict_search search;
        std::vector<literal> v;
        std::vector<detail::weighted_literal> absent;
        for (std::size_t k = 0; k < 6; ++k) v.push_back(search.add_variable());
        for (auto const l : v) absent.push_back({1, !l});
        search.add_row(absent, static_cast<std::int64_t>(6 - least));
        detail::core_guided_search cores(search, any);
        for (auto const l : v) cores.add_cost(l, 3);
        cores.run(goes_on);
        CHECK(cores.is_done());
        CHECK(cores.bound() == static_cast<std::int64_t>(3 * least));
    }
}

TEST_CASE("core_guided_search: the least cost of random clauses, or the target", "[property]") {
    support::split_mix random(3);
    std::size_t costly = 0, refuted = 0, enough = 0;
    for (int k = 0; k < 300; ++k) {
        auto const problem = support::random_clauses(random, 4 + support::below(random, 7));
        std::vector<std::int64_t> costs, negated;
        for (std::size_t v = 0; v < problem.variables; ++v) {
            costs.push_back(support::chance(random, 70) ? support::between(random, 0, 20) : 0);
            negated.push_back(support::chance(random, 20) ? support::between(random, 0, 9) : 0);
        }
        auto least = any;
        for (std::uint32_t a = 0; a < 1U << problem.variables; ++a) {
            if (!support::is_satisfied(problem, a)) continue;
            std::int64_t cost = 0;
            for (std::uint32_t v = 0; v < problem.variables; ++v)
                cost += support::is_true_in(a, literal(v)) ? costs[v] : negated[v];
            least = std::min(least, cost);
        }
        auto const limit = support::chance(random, 50) ? any : support::between(random, 1, 40);
        detail::conflict_search search;
        auto const variables = support::add_to(search, problem);
        detail::core_guided_search cores(search, limit);
        for (std::size_t v = 0; v < problem.variables; ++v) {
            cores.add_cost(variables[v], costs[v]);
            cores.add_cost(!variables[v], negated[v]);
        }
        std::int64_t last = 0;
        cores.run([&] {
            REQUIRE(cores.bound() >= last);
            last = cores.bound();
            return false;
        });
        REQUIRE(cores.is_done());
        REQUIRE(cores.bound() == std::min(least, limit));
        costly += least > 0 && least < limit ? 1 : 0;
        refuted += least == any ? 1 : 0;
        enough += limit != any && least >= limit ? 1 : 0;
    }
    CHECK(costly > 50);
    CHECK(refuted > 20);
    CHECK(enough > 20);
}
