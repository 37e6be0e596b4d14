// Covers graph/adapt/nested_range.hpp, graph/lower_sets/detail/lower_set.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/lower_sets/detail/lower_set.hpp>

#include "support/archetypes.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

using namespace repebble;

namespace {

auto set_of(std::size_t universe, std::vector<std::size_t> const& members) -> vertex_set {
    vertex_set set(universe);
    for (auto const v : members) set.insert(v);
    return set;
}

/// The vertices for which `predicate` is true.
template <class Predicate>
auto filtered(std::size_t universe, Predicate predicate) -> vertex_set {
    vertex_set set(universe);
    for (std::size_t v = 0; v < universe; ++v)
        if (predicate(v)) set.insert(v);
    return set;
}

}  // namespace

TEST_CASE("neighbours, boundary and lower sets as defined by kusumoto 2019, section 2", "[lower_set][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::any_dag(random, 12);
        auto const n = g.size();
        auto const edge = [&](std::size_t u, std::size_t v) {
            return std::ranges::count(g[u], static_cast<int>(v)) > 0;
        };
        auto const some = [&](auto predicate) { return filtered(n, predicate).size() > 0; };
        auto const set = filtered(n, [&](std::size_t) { return support::chance(random, 50); });

        auto const out =
            filtered(n, [&](auto v) { return some([&](auto u) { return set.contains(u) && edge(u, v); }); });
        auto const in =
            filtered(n, [&](auto u) { return some([&](auto v) { return set.contains(v) && edge(u, v); }); });
        RC_ASSERT(detail::out_neighbours(g, set) == out);
        RC_ASSERT(detail::in_neighbours(g, set) == in);
        RC_ASSERT(detail::is_lower_set(g, set) == in.is_subset_of(set));
        RC_ASSERT(detail::boundary(g, set) == (detail::in_neighbours(g, vertex_set::full(n) - set) & set));
        support::least_graph const least(g);
        RC_ASSERT(detail::boundary(least, set) == detail::boundary(g, set));
        RC_ASSERT(detail::is_lower_set(least, set) == detail::is_lower_set(g, set));
    }));
}

TEST_CASE("the boundary of a lower set of a diamond", "[lower_set]") {
    support::adjacency const diamond{{1, 2}, {3}, {3}, {}};
    CHECK(detail::is_lower_set(diamond, set_of(4, {0, 2})));
    CHECK(!detail::is_lower_set(diamond, set_of(4, {0, 3})));
    CHECK(detail::boundary(diamond, set_of(4, {0, 2})) == set_of(4, {0, 2}));
    CHECK(detail::boundary(diamond, set_of(4, {0, 1, 2})) == set_of(4, {1, 2}));
    CHECK(detail::boundary(diamond, vertex_set::full(4)).empty());
    CHECK(detail::out_neighbours(diamond, set_of(4, {0})) == set_of(4, {1, 2}));
    CHECK(detail::in_neighbours(diamond, set_of(4, {3})) == set_of(4, {1, 2}));
    CHECK_THROWS_AS(detail::is_lower_set(diamond, vertex_set(3)), precondition_violated);
}

TEST_CASE("the pruned family is the empty set, the ancestors of every vertex, and all", "[lower_set][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::any_dag(random, 20);
        auto const family = detail::pruned_lower_sets(g);
        auto expected = ancestors(g);
        expected.push_back(vertex_set(g.size()));
        if (std::ranges::find(expected, vertex_set::full(g.size())) == expected.end())
            expected.push_back(vertex_set::full(g.size()));
        RC_ASSERT(family.size() == expected.size());
        RC_ASSERT(std::ranges::is_permutation(family, expected));
        RC_ASSERT(std::ranges::is_sorted(family, {}, &vertex_set::size));
        for (auto const& set : family) RC_ASSERT(detail::is_lower_set(g, set));
    }));
}

TEST_CASE("ended early the pruned family is a part of it, with the empty set and all", "[lower_set]") {
    constexpr std::size_t n = 3000;
    auto const g = support::chain(n);
    for (std::size_t const most : {0U, 2U, 5U, 8U}) {
        std::size_t asked = 0;
        auto const family = detail::pruned_lower_sets(g, [&] { return ++asked > most; });
        REQUIRE(family.size() >= 2);
        CHECK((family.front().empty() && family.back() == vertex_set::full(n)));
        CHECK(family.size() < n + 1);
        CHECK(std::ranges::is_sorted(family, {}, &vertex_set::size));
        CHECK(detail::is_lower_set(g, family[family.size() / 2]));
    }
}

TEST_CASE("sets of one size come in the order of the vertices that they belong to", "[lower_set]") {
    auto const family = detail::pruned_lower_sets(support::adjacency{{1, 2}, {}, {}});
    CHECK(family ==
          std::vector{vertex_set(3), set_of(3, {0}), set_of(3, {0, 1}), set_of(3, {0, 2}), vertex_set::full(3)});
    CHECK(detail::pruned_lower_sets(support::adjacency{}) == std::vector{vertex_set(0)});
    CHECK(detail::pruned_lower_sets(support::adjacency{{}}) == std::vector{vertex_set(1), vertex_set::full(1)});
    CHECK_THROWS_AS(detail::pruned_lower_sets(support::adjacency{{0}}), not_a_dag);
}
