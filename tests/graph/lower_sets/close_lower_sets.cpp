// Covers graph/adapt/nested_range.hpp, graph/lower_sets/detail/close_lower_sets.hpp,
// graph/lower_sets/detail/lower_set.hpp, graph/lower_sets/lower_sets.hpp.
#include <algorithm>
#include <cstddef>
#include <ranges>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/lower_sets/detail/close_lower_sets.hpp>
#include <repebble/graph/lower_sets/detail/lower_set.hpp>
#include <repebble/graph/lower_sets/lower_sets.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"
#include "support/throws.hpp"

using namespace repebble;

namespace {

auto has(std::vector<vertex_set> const& sets, vertex_set const& set) -> bool {
    return std::ranges::find(sets, set) != sets.end();
}

auto all_of(support::adjacency const& g) -> std::vector<vertex_set> {
    std::vector<vertex_set> all;
    for (auto const& set : lower_sets(g)) all.push_back(set);
    return all;
}

}  // namespace

TEST_CASE("two branches are closed by their union and intersection", "[close_lower_sets]") {
    // 0 -> 1, 0 -> 2
    vertex_set left(3), right(3);
    for (auto const v : {0, 1}) left.insert(static_cast<std::size_t>(v));
    for (auto const v : {0, 2}) right.insert(static_cast<std::size_t>(v));
    auto const closed = detail::close_lower_sets({left, right, left}, 100);
    REQUIRE(closed.size() == 4);
    CHECK(closed[0] == left);
    CHECK(closed[1] == right);
    CHECK(has(closed, left & right));
    CHECK(has(closed, vertex_set::full(3)));
    CHECK(detail::close_lower_sets({left, right}, 3).size() == 3);
    CHECK(detail::close_lower_sets({left, right}, 1) == std::vector{left});
    CHECK(detail::close_lower_sets({}, 100).empty());
    CHECK(support::throws<bad_graph>(
        [&] {
            return detail::close_lower_sets({left, vertex_set(5)}, 9);
        },
        {"set 1", "5", "3"}));
}

TEST_CASE("closed, the pruned family is all lower sets", "[close_lower_sets][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::any_dag(random, 9);
        auto const all = all_of(g);
        auto const closed = detail::close_lower_sets(detail::pruned_lower_sets(g), all.size() + 1);
        RC_ASSERT(closed.size() == all.size());
        for (auto const& set : all) RC_ASSERT(has(closed, set));
    }));
}

TEST_CASE("any lower sets are closed under union and intersection, up to the limit", "[close_lower_sets][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::any_dag(random, 8);
        auto const all = all_of(g);
        std::vector<vertex_set> some;
        for (auto const& set : all)
            if (support::chance(random, 30)) some.push_back(set);
        auto const closed = detail::close_lower_sets(some, all.size());
        for (auto const& a : closed) {
            RC_ASSERT(detail::is_lower_set(g, a));
            for (auto const& b : closed) {
                RC_ASSERT(has(closed, a | b));
                RC_ASSERT(has(closed, a & b));
            }
        }
        auto const limit = support::below(random, closed.size() + 1);
        auto const first = detail::close_lower_sets(some, limit);
        RC_ASSERT(first.size() == std::min(limit, closed.size()));
        for (auto const& set : first) RC_ASSERT(has(closed, set));
    }));
}
