// Covers graph/adapt/nested_range.hpp, graph/lower_sets/detail/lower_set.hpp, graph/lower_sets/lower_sets.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <set>
#include <vector>

#include <rapidcheck.h>
#include <range/v3/view/filter.hpp>
#include <range/v3/view/take.hpp>
#include <range/v3/view/transform.hpp>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/lower_sets/detail/lower_set.hpp>
#include <repebble/graph/lower_sets/lower_sets.hpp>

#include "support/archetypes.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

using namespace repebble;

static_assert(std::ranges::view<lower_set_view> && std::ranges::input_range<lower_set_view>);
static_assert(!std::ranges::forward_range<lower_set_view>);

namespace {

auto collected(lower_set_view sets) -> std::vector<vertex_set> {
    std::vector<vertex_set> all;
    for (auto const& set : sets) all.push_back(set);
    return all;
}

auto every_subset_that_is_lower(support::adjacency const& g) -> std::vector<vertex_set> {
    std::vector<vertex_set> all;
    for (vertex_set::word bits = 0; bits < vertex_set::word{1} << g.size(); ++bits) {
        vertex_set set(g.size());
        for (std::size_t v = 0; v < g.size(); ++v)
            if ((bits >> v & 1) != 0) set.insert(v);
        if (detail::is_lower_set(g, set)) all.push_back(set);
    }
    return all;
}

constexpr auto power(std::size_t base, std::size_t exponent) -> std::size_t {
    return exponent == 0 ? 1 : base * power(base, exponent - 1);
}

constexpr auto of_a_diamond_at_compile_time() -> std::size_t {
    std::vector<std::vector<int>> diamond(4);
    for (int const v : {1, 2}) {
        diamond[0].push_back(v);
        diamond[static_cast<std::size_t>(v)].push_back(3);
    }
    std::size_t count = 0;
    auto sets = lower_sets(diamond);
    for ([[maybe_unused]] auto const& set : sets) ++count;
    return count;
}
static_assert(of_a_diamond_at_compile_time() == 6);

}  // namespace

TEST_CASE("lower sets are all subsets that are lower, each once and after its subsets", "[lower_sets][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::any_dag(random, 10);
        auto const sets = collected(lower_sets(g));
        auto const expected = every_subset_that_is_lower(g);
        RC_ASSERT(sets.size() == expected.size());
        RC_ASSERT(std::ranges::is_permutation(sets, expected));
        // Where the indices are topological the order is that of the sets read as binary numbers.
        if (std::ranges::is_sorted(topological_order(g))) RC_ASSERT(sets == expected);
        for (std::size_t i = 0; i < sets.size(); ++i)
            for (std::size_t k = i + 1; k < sets.size(); ++k) RC_ASSERT(!sets[k].is_subset_of(sets[i]));
        RC_ASSERT(sets.front().empty());
        RC_ASSERT(sets.back() == vertex_set::full(g.size()));
        RC_ASSERT(collected(lower_sets(support::least_graph(g))) == sets);
    }));
}

TEST_CASE("k chains of m vertices have (m+1)^k lower sets", "[lower_sets]") {
    for (std::size_t const k : {1U, 2U, 3U, 5U})
        for (std::size_t const m : {1U, 2U, 5U})
            CHECK(collected(lower_sets(support::parallel_chains(k, m))).size() == power(m + 1, k));
    CHECK(collected(lower_sets(support::chain(0))).size() == 1);
}

TEST_CASE("sets at the boundaries of 64-bit words", "[lower_sets]") {
    support::split_mix random(64);
    for (std::size_t const n : {63U, 64U, 65U, 127U, 128U, 129U}) {
        CHECK(collected(lower_sets(support::chain(n))).size() == n + 1);
        // A chain with five loose vertices before it, first in order and then under random names.
        auto g = support::chain(n);
        for (std::size_t v = 0; v < 5; ++v) g[v].clear();
        for (bool const shuffled : {false, true}) {
            if (shuffled) g = support::relabelled(g, support::random_permutation(random, n));
            std::set<std::vector<std::size_t>> distinct;
            for (auto const& set : collected(lower_sets(g))) {
                REQUIRE(detail::is_lower_set(g, set));
                distinct.insert(set.to_vector());
            }
            CHECK(distinct.size() == 32 * (n - 5 + 1));
        }
    }
    CHECK(collected(lower_sets(support::parallel_chains(2, 64))).size() == 65 * 65);
}

TEST_CASE("sets come one by one, however many there are", "[lower_sets]") {
    auto sets = lower_sets(support::adjacency(200));  // 2^200
    std::vector<std::vector<std::size_t>> first;
    for (auto const& set : sets | std::views::take(5)) first.push_back(set.to_vector());
    CHECK(first == std::vector<std::vector<std::size_t>>{{}, {0}, {1}, {0, 1}, {2}});
}

TEST_CASE("begin starts anew", "[lower_sets]") {
    auto sets = lower_sets(support::parallel_chains(2, 2));
    auto it = sets.begin();
    ++it;
    it++;
    CHECK(it->size() == 2);
    CHECK(sets.begin()->empty());
    CHECK(std::ranges::distance(sets) == 9);
    CHECK(std::ranges::distance(sets) == 9);
    auto const copy = collected(sets);
    auto moved = std::move(sets);
    CHECK(collected(moved) == copy);
    lower_set_view none;
    CHECK(std::ranges::distance(none) == 1);
}

TEST_CASE("lower sets compose with the views of the standard library and of range-v3", "[lower_sets]") {
    auto const g = support::parallel_chains(2, 2);
    auto const small = [](vertex_set const& set) { return set.size() <= 2; };
    auto const size = [](vertex_set const& set) { return set.size(); };
    std::vector<std::size_t> const expected{0, 1, 2, 1, 2};
    std::vector<std::size_t> found;
    for (auto const s : lower_sets(g) | std::views::filter(small) | std::views::transform(size) | std::views::take(5))
        found.push_back(s);
    CHECK(found == expected);
    found.clear();
    auto sets = lower_sets(g);  // range-v3 takes what is no view of its own by reference only
    for (auto const s : sets | ranges::views::filter(small) | ranges::views::transform(size) | ranges::views::take(5))
        found.push_back(s);
    CHECK(found == expected);
}

TEST_CASE("a graph with a cycle has no lower sets to list", "[lower_sets]") {
    CHECK_THROWS_AS(lower_sets(support::adjacency{{1}, {0}}), not_a_dag);
}
