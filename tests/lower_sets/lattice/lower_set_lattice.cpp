// Covers lower_sets/detail/lattice/lower_set_lattice.hpp, lower_sets/detail/lattice/incremental_sums.hpp.
// The sets of the lattice and their sums, against all subsets of a small graph.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/detail/position_bits.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/lower_sets/detail/lattice/lower_set_lattice.hpp>

#include "support/brute_force.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/throws.hpp"

using namespace repebble;

namespace {

using detail::lower_set_lattice;
namespace position_bits = detail::position_bits;

constexpr std::size_t no_lattice_limit = 100'000;

/// The graph with times and bytes of one each.
auto with_units(support::adjacency graph) -> support::weighted_dag {
    auto const n = graph.size();
    return {std::move(graph), std::vector<std::int64_t>(n, 1), std::vector<bytes>(n, 1), std::vector<char>(n, 0)};
}
/// Set i by the numbers of its vertices.
auto mask_of(lower_set_lattice const& lattice, std::size_t i) -> support::mask {
    support::mask set = 0;
    auto const& problem = lattice.problem();
    position_bits::for_each(lattice[i], problem.words(),
                            [&](std::size_t p) { set |= support::mask{1} << problem.vertices()[p]; });
    return set;
}
auto in_column(lower_set_lattice const& lattice, std::size_t v, std::size_t i) -> bool {
    return (lattice.column(v)[i / 64] >> (i % 64) & 1U) != 0;
}

}  // namespace

TEST_CASE("lower_set_lattice: a diamond, by hand", "[lower_sets]") {
    auto diamond = with_units({{1, 2}, {3}, {3}, {}});
    diamond.time = {1, 2, 4, 8};
    diamond.memory = {1, 10, 100, 1000};
    lower_set_lattice const lattice(positional_problem(diamond.problem()), no_lattice_limit);
    REQUIRE(lattice.complete());
    REQUIRE(lattice.size() == 6);  // of 0, of 0 and either or both of 1 and 2, of all, and the empty one
    CHECK((mask_of(lattice, 0) == 0 && mask_of(lattice, lattice.full()) == 0b1111));
    for (std::size_t i = 0; i < lattice.size(); ++i)
        if (mask_of(lattice, i) == 0b0011) {
            CHECK(lattice.time(i) == 3);
            CHECK(lattice.memory(i) == 11);
            CHECK(lattice.boundary(i) == 11);  // 0 is read by 2, and 1 by 3
            CHECK(lattice.beyond(i) == 1200);  // 2 and 3 read the set, and 3 reads 2
        }
}

TEST_CASE("lower_set_lattice: exactly the lower sets, with their sums", "[lower_sets][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::random_weighted_dag(random, 10, 9, support::chance(random, 50) ? 30 : 0);
        support::brute_force const brute(g);
        lower_set_lattice const lattice(positional_problem(g.problem()), no_lattice_limit);
        RC_ASSERT(lattice.complete());
        std::vector<support::mask> found;
        for (std::size_t i = 0; i < lattice.size(); ++i) {
            auto const set = found.emplace_back(mask_of(lattice, i));
            RC_ASSERT(lattice.time(i) == brute.time(set));
            RC_ASSERT(lattice.memory(i) == brute.memory(set));
            RC_ASSERT(lattice.boundary(i) == brute.memory(brute.boundary(set)));
            auto const readers = brute.out(set);
            RC_ASSERT(lattice.beyond(i) == brute.memory(readers & ~set) + brute.memory(brute.in(readers) & ~set));
        }
        auto expected = brute.lower_sets();
        std::ranges::sort(expected);
        std::ranges::sort(found);
        RC_ASSERT(found == expected);
    }));
}

TEST_CASE("lower_set_lattice: sets ascend, are found, and stand in the columns of their members",
          "[lower_sets][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::chance(random, 50)
                           ? with_units(support::parallel_chains(2, 30 + support::below(random, 10)))
                           : support::random_weighted_dag(random, 9);
        lower_set_lattice const lattice(positional_problem(g.problem()), no_lattice_limit);
        auto const words = lattice.problem().words();
        for (std::size_t i = 0; i < lattice.size(); ++i) {
            if (i > 0) RC_ASSERT(position_bits::less(lattice[i - 1], lattice[i], words));
            RC_ASSERT(lattice.find(lattice[i]) == i);
            for (std::size_t v = 0; v < lattice.problem().size(); ++v)
                RC_ASSERT(in_column(lattice, v, i) == position_bits::has(lattice[i], v));
        }
    }));
}

TEST_CASE("lower_set_lattice: a limit on sets counts the empty set and that of all", "[lower_sets]") {
    positional_problem const chain_of_70(with_units(support::chain(70)).problem());
    lower_set_lattice const all(chain_of_70, 71);
    CHECK((all.complete() && all.size() == 71 && all.memory(all.full()) == 70));
    lower_set_lattice const some(chain_of_70, 70);
    CHECK_FALSE(some.complete());
    auto const require = [&] {
        some.require_complete();
        return 0;
    };
    CHECK(support::throws<limit_reached>(require, {"more than 70 lower sets"}));
}
