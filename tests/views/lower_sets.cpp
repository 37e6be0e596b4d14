// Covers views/lower_sets.hpp, views/members.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <rapidcheck.h>
#include <range/v3/algorithm/equal.hpp>
#include <range/v3/range/concepts.hpp>
#include <range/v3/range/conversion.hpp>
#include <range/v3/range/primitives.hpp>
#include <range/v3/view/filter.hpp>
#include <range/v3/view/reverse.hpp>
#include <range/v3/view/take.hpp>
#include <range/v3/view/transform.hpp>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/lower_sets/lower_sets.hpp>
#include <repebble/views/lower_sets.hpp>
#include <repebble/views/members.hpp>

#include "support/archetypes.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

using namespace repebble;

static_assert(ranges::view_<views::lower_set_range> && ranges::input_range<views::lower_set_range>);
static_assert(!ranges::forward_range<views::lower_set_range>);
static_assert(std::is_same_v<ranges::range_reference_t<views::lower_set_range>, vertex_set const&>);
static_assert(!std::is_invocable_v<decltype(views::lower_sets), int>);

using members_view = decltype(views::members(std::declval<vertex_set const&>()));
static_assert(ranges::view_<members_view> && ranges::bidirectional_range<members_view>);
static_assert(!std::is_invocable_v<decltype(views::members), vertex_set>);

TEST_CASE("lower sets as a view are those of the enumeration", "[views][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::any_dag(random, 10);
        std::vector<vertex_set> expected;
        auto sets = lower_sets(g);
        for (auto const& set : sets) expected.push_back(set);
        RC_ASSERT((views::lower_sets(g) | ranges::to<std::vector>()) == expected);
        RC_ASSERT((views::lower_sets(support::least_graph(g)) | ranges::to<std::vector>()) == expected);
    }));
}

TEST_CASE("a pipeline owns the lower sets, and takes only as many as it is asked for", "[views]") {
    auto const sizes = [](std::size_t n) {
        return views::lower_sets(support::adjacency(n)) | ranges::views::transform(&vertex_set::size) |
               ranges::views::filter([](std::size_t size) { return size <= 1; }) | ranges::views::take(4);
    };
    CHECK((sizes(200) | ranges::to<std::vector>()) == std::vector<std::size_t>{0, 1, 1, 1});
    auto pipeline = sizes(3);
    auto moved = std::move(pipeline);
    CHECK((moved | ranges::to<std::vector>()) == std::vector<std::size_t>{0, 1, 1, 1});
}

TEST_CASE("begin of a view of lower sets starts anew", "[views]") {
    auto sets = views::lower_sets(support::parallel_chains(2, 2));
    CHECK(ranges::distance(sets) == 9);
    CHECK(ranges::distance(sets) == 9);
    auto none = views::lower_set_range();
    CHECK(ranges::distance(none) == 1);
}

TEST_CASE("a graph with a cycle has no view of lower sets", "[views]") {
    CHECK_THROWS_AS(views::lower_sets(support::adjacency{{1}, {0}}), not_a_dag);
}

TEST_CASE("members of a set ascend, and can be read backwards", "[views]") {
    vertex_set set(130);
    for (auto const v : {129U, 0U, 64U, 63U}) set.insert(v);
    CHECK(ranges::equal(views::members(set), set.to_vector()));
    CHECK((views::members(set) | ranges::views::reverse | ranges::to<std::vector>()) ==
          std::vector<std::size_t>{129, 64, 63, 0});
    vertex_set const empty;
    CHECK(ranges::empty(views::members(empty)));
}

TEST_CASE("members within a pipeline of lower sets", "[views]") {
    auto const sum = [](vertex_set const& set) {
        std::size_t total = 0;
        for (auto const v : views::members(set)) total += v;
        return total;
    };
    auto sums = views::lower_sets(support::parallel_chains(2, 2)) | ranges::views::transform(sum);
    CHECK((sums | ranges::to<std::vector>()) == std::vector<std::size_t>{0, 0, 1, 2, 2, 3, 5, 5, 6});
}
