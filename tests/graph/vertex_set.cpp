// Covers graph/vertex_set.hpp.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/vertex_set.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

using namespace repebble;

namespace {

constexpr auto plays_at_compile_time() -> bool {
    vertex_set a(70);
    a.insert(3);
    a.insert(69);
    auto const b = vertex_set::full(70) - a;
    return a.size() == 2 && b.size() == 68 && (a & b).empty() && (a | b) == vertex_set::full(70) && a.contains(69) &&
           !a.is_subset_of(b) && a.to_vector().back() == 69;
}
static_assert(plays_at_compile_time());

struct both {
    vertex_set bits;
    std::set<std::size_t> tree{};
};

auto random_set(support::split_mix& random, std::size_t universe) -> both {
    both s{.bits = vertex_set(universe)};
    auto const percent = support::below(random, 101);
    for (std::size_t v = 0; v < universe; ++v) {
        if (!support::chance(random, percent)) continue;
        s.bits.insert(v);
        s.tree.insert(v);
    }
    return s;
}

auto same(vertex_set const& bits, std::set<std::size_t> const& tree) -> bool {
    auto const members = bits.to_vector();
    return std::ranges::equal(members, tree) && bits.size() == tree.size() && bits.empty() == tree.empty();
}

}  // namespace

TEST_CASE("a vertex_set behaves as a std::set", "[vertex_set][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const universe = support::below(random, 200);
        auto const a = random_set(random, universe);
        auto const b = random_set(random, universe);
        std::set<std::size_t> in_either, in_both, in_first_only;
        std::ranges::set_union(a.tree, b.tree, std::inserter(in_either, in_either.end()));
        std::ranges::set_intersection(a.tree, b.tree, std::inserter(in_both, in_both.end()));
        std::ranges::set_difference(a.tree, b.tree, std::inserter(in_first_only, in_first_only.end()));
        RC_ASSERT(same(a.bits, a.tree));
        RC_ASSERT(same(a.bits | b.bits, in_either));
        RC_ASSERT(same(a.bits & b.bits, in_both));
        RC_ASSERT(same(a.bits - b.bits, in_first_only));
        RC_ASSERT(a.bits.is_subset_of(b.bits) == std::ranges::includes(b.tree, a.tree));
        RC_ASSERT((a.bits == b.bits) == (a.tree == b.tree));
        RC_ASSERT(vertex_set(universe, a.bits.words()) == a.bits);
        auto changed = a;
        for (std::size_t v = 0; v < universe; ++v) {
            RC_ASSERT(a.bits.contains(v) == a.tree.contains(v));
            if (v % 3 != 0) continue;
            changed.bits.erase(v);
            changed.tree.erase(v);
        }
        RC_ASSERT(same(changed.bits, changed.tree));
    }));
}

TEST_CASE("the last word has no bits outside", "[vertex_set]") {
    for (std::size_t const n : {0U, 1U, 63U, 64U, 65U, 127U, 128U, 129U}) {
        auto const all = vertex_set::full(n);
        CHECK(all.size() == n);
        CHECK(all.universe() == n);
        CHECK((all - vertex_set(n)) == all);
        CHECK(all.words().size() == (n + 63) / 64);
    }
    std::vector<vertex_set::word> const stray{8};
    CHECK_THROWS_AS(vertex_set(3, stray), precondition_violated);
    CHECK(vertex_set(4, stray).size() == 1);
    CHECK_THROWS_AS(vertex_set(65, stray), precondition_violated);
}

TEST_CASE("sets are asked only about their own universe", "[vertex_set]") {
    vertex_set set(10);
    CHECK_THROWS_AS(set.contains(10), precondition_violated);
    CHECK_THROWS_AS(set.insert(10), precondition_violated);
    CHECK_THROWS_AS(set.erase(10), precondition_violated);
    CHECK_THROWS_AS(set |= vertex_set(11), precondition_violated);
    CHECK_THROWS_AS(set.is_subset_of(vertex_set(9)), precondition_violated);
    CHECK(set != vertex_set(11));
}

TEST_CASE("weights of the members are added up, with a check", "[vertex_set]") {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    vertex_set set(3);
    CHECK(set.sum(std::vector<std::int64_t>{1, 2, most}) == 0);
    set.insert(0);
    set.insert(2);
    CHECK(set.sum(std::vector<std::int64_t>{1, 2, 4}) == 5);
    CHECK_THROWS_AS(set.sum(std::vector<std::int64_t>{1, 2, most}), bad_weight);
    CHECK_THROWS_AS(set.sum(std::vector<std::int64_t>{1, 2}), precondition_violated);
}
