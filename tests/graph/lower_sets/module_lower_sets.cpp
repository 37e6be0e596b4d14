// Covers graph/adapt/nested_range.hpp, graph/lower_sets/lower_sets.hpp, graph/lower_sets/detail/lower_set.hpp,
// graph/lower_sets/detail/module_lower_sets.hpp, graph/lower_sets/detail/serial_vertices.hpp.
#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/lower_sets/detail/module_lower_sets.hpp>
#include <repebble/graph/lower_sets/detail/lower_set.hpp>
#include <repebble/graph/lower_sets/lower_sets.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

using namespace repebble;

namespace {

auto count_all(support::adjacency const& g) -> std::size_t {
    std::size_t count = 0;
    auto sets = lower_sets(g);
    for (auto it = sets.begin(); it != sets.end(); ++it) ++count;
    return count;
}
auto contains_set(std::vector<vertex_set> const& sets, vertex_set const& set) -> bool {
    return std::ranges::find(sets, set) != sets.end();
}
/// Of lower sets, each once, with ∅ and V.
void is_a_family(support::adjacency const& g, std::vector<vertex_set> const& sets) {
    for (std::size_t i = 0; i < sets.size(); ++i) {
        RC_ASSERT(detail::is_lower_set(g, sets[i]));
        RC_ASSERT(std::ranges::count(sets, sets[i]) == 1);
    }
    RC_ASSERT(contains_set(sets, vertex_set(g.size())));
    RC_ASSERT(contains_set(sets, vertex_set::full(g.size())));
}
/// A graph after another, both between vertices that everything passes.
auto in_series(support::adjacency const& a, support::adjacency const& b) -> support::adjacency {
    auto g = a;
    auto const between = static_cast<int>(g.size());
    for (auto& successors : g) successors.push_back(between);
    g.emplace_back();
    for (std::size_t v = 0; v < b.size(); ++v) g.back().push_back(between + 1 + static_cast<int>(v));
    for (auto const& successors : b) {
        g.emplace_back();
        for (auto const w : successors) g.back().push_back(between + 1 + w);
    }
    return g;
}

}  // namespace

TEST_CASE("where they are few enough, the family is all lower sets", "[module_lower_sets][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = in_series(support::any_dag(random, 5), support::any_dag(random, 5));
        auto const all = count_all(g);
        for (auto const limit : {all, all + 1, std::numeric_limits<std::size_t>::max()}) {
            auto const sets = detail::module_lower_sets(g, limit);
            is_a_family(g, sets);
            RC_ASSERT(sets.size() == all);
        }
    }));
}

TEST_CASE("where they are too many, the family is as large as it may be, and contains the pruned one",
          "[module_lower_sets][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = in_series(support::any_dag(random, 6), support::any_dag(random, 6));
        auto const all = count_all(g);
        auto const limit = 2 + support::below(random, all);
        auto const sets = detail::module_lower_sets(g, limit);
        is_a_family(g, sets);
        RC_ASSERT(sets.size() <= limit);
        if (limit < g.size() + 2) return;
        RC_ASSERT(sets.size() == std::min(limit, all));
        for (auto const& set : detail::pruned_lower_sets(g)) RC_ASSERT(contains_set(sets, set));
    }));
}

TEST_CASE("a small module has all its lower sets beside one that has too many", "[module_lower_sets]") {
    auto const g = in_series(support::parallel_chains(2, 2), support::parallel_chains(20, 3));  // 9 sets, and 4^20
    auto const sets = detail::module_lower_sets(g, 100);
    CHECK(sets.size() == 100);
    std::size_t in_the_first = 0;
    for (auto const& set : sets) in_the_first += set.size() <= 4 ? 1 : 0;
    CHECK(in_the_first == 9);
}

TEST_CASE("the empty graph has one lower set, and no limit leaves out ∅ and V", "[module_lower_sets]") {
    CHECK(detail::module_lower_sets(support::adjacency{}, 0) == std::vector{vertex_set(0)});
    CHECK(detail::module_lower_sets(support::chain(9), 0) == std::vector{vertex_set(9), vertex_set::full(9)});
}

TEST_CASE("from when it is stopped on, a family gets no further set", "[module_lower_sets]") {
    auto const over = [] { return true; };
    CHECK(detail::module_lower_sets(support::chain(9), 100, over) == std::vector{vertex_set(9), vertex_set::full(9)});
}
