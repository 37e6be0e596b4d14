// Covers lower_sets/detail/lattice/irreducible_blocks.hpp, lower_sets/detail/lattice/least_budget_proof.hpp,
// lower_sets/detail/all_lower_sets.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <rapidcheck.h>

#include <repebble/lower_sets/detail/lattice/irreducible_blocks.hpp>
#include <repebble/lower_sets/detail/lattice/least_budget_proof.hpp>
#include <repebble/lower_sets/solve_lower_sets.hpp>

#include "recompute/branching_graphs.hpp"
#include "support/brute_force.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"

using namespace repebble;
using support::chance;
using support::crossing_branches;
using support::weighted_dag;

namespace {

constexpr std::size_t a_million = 1'000'000;

/// Predicates on the subsets of a graph of up to 32 vertices, by definition.
class every_subset {
  public:
    using mask = support::mask;

    explicit every_subset(weighted_dag const& g) : g_(g), brute_(g) {}

    [[nodiscard]] auto is_convex(mask set) const -> bool {
        mask above = set;
        mask below = set;
        for (std::size_t round = 0; round < g_.size(); ++round) {
            above |= brute_.out(above);
            below |= brute_.in(below);
        }
        return (above & below) == set;
    }
    [[nodiscard]] auto recomputed(mask set) const -> mask {
        mask result = 0;
        for (std::size_t v = 0; v < g_.size(); ++v)
            if (support::has(set, v) && g_.pinned[v] == 0 && (brute_.out(mask{1} << v) & ~set) == 0)
                result |= mask{1} << v;
        return result;
    }
    /// Whether no proper subset can be split off at no cost.
    [[nodiscard]] auto is_irreducible(mask set) const -> bool {
        if (set == 0 || !is_convex(set)) return false;
        auto const again = recomputed(set);
        for (mask part = (set - 1) & set; part != 0; part = (part - 1) & set)
            if ((brute_.in(part)&set & ~part) == 0 && (brute_.out(part & again) & ~part) == 0) return false;
        return true;
    }

  private:
    weighted_dag const& g_;
    support::brute_force brute_;
};

auto found_blocks(positional_problem const& problem, detail::overhead_cutoff const& cutoff) {
    std::vector<support::mask> found;
    detail::never_stop const never;
    detail::stop_test stop = never;
    detail::irreducible_blocks blocks(problem, cutoff, nullptr, stop);
    RC_ASSERT(blocks.for_each(a_million, [&](detail::block_enumeration const& b) {
        support::mask members = 0;
        detail::position_bits::for_each(b.members(), problem.words(),
                                        [&](std::size_t i) { members |= support::mask{1} << problem.vertices()[i]; });
        found.push_back(members);
    }));
    return found;
}

}  // namespace

TEST_CASE("exactly the irreducible blocks are found, each once", "[exact_curve][property]") {
    std::size_t larger = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        auto g = chance(random, 30) ? crossing_branches(random) : support::random_weighted_dag(random, 9, 9, 20);
        if (g.size() > 11) return;
        auto const problem = g.problem();
        positional_problem const ordered(problem);
        auto const most = support::between(random, 0, 60);
        auto found = found_blocks(ordered, detail::overhead_cutoff(most));
        std::ranges::sort(found);
        std::vector<support::mask> expected;
        every_subset const subsets(g);
        for (support::mask set = 1; set < support::mask{1} << g.size(); ++set) {
            if (!subsets.is_irreducible(set)) continue;
            std::int64_t time = 0;
            for (std::size_t v = 0; v < g.size(); ++v)
                if (support::has(subsets.recomputed(set), v)) time += g.time[v];
            if (time > most) continue;
            expected.push_back(set);
            larger += (set & (set - 1)) != 0 ? 1 : 0;
        }
        RC_ASSERT(found == expected);
    }));
    CHECK(larger > 0);
}

TEST_CASE("sums of a lattice are those of the family", "[exact_curve][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::random_weighted_dag(random, 9, 9, 20);
        auto const problem = g.problem();
        detail::lower_set_lattice const lattice(positional_problem(problem), a_million);
        auto const family = lower_set_family::all(problem, a_million);
        RC_ASSERT(lattice.size() == family.size());
        auto const& ordered = lattice.problem();
        for (std::size_t i = 0; i < lattice.size(); ++i) {
            RC_ASSERT(lattice.find(lattice[i]) == i);
            vertex_set set(g.size());
            for (std::size_t v = 0; v < g.size(); ++v) {
                bool const inside = detail::position_bits::has(lattice[i], v);
                RC_ASSERT(inside == ((lattice.column(v)[i / 64] >> (i % 64) & 1U) != 0));
                if (inside) set.insert(ordered.vertices()[v]);
            }
            std::size_t j = 0;
            while (!(family[j] == set)) ++j;
            RC_ASSERT(lattice.time(i) == family.time(j));
            RC_ASSERT(lattice.boundary(i) == family.boundary_memory(j));
            auto const whole = family.cost(0, j, false);
            RC_ASSERT(2 * lattice.memory(i) + lattice.beyond(i) == whole.working);
        }
    }));
}

TEST_CASE("a least budget is proven only for the last breakpoint", "[exact_curve][property]") {
    std::size_t proven = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::random_weighted_dag(random, 10, 50, 10);
        auto const problem = g.problem();
        auto const curve = solve_lower_sets(problem, {.choice = family_choice::all, .limits = {.work = a_million}});
        positional_problem const ordered(problem);
        for (std::size_t k = 0; k < curve.breakpoints().size(); ++k) {
            bool const is_last = k + 1 == curve.breakpoints().size();
            bool const shown = detail::is_least_budget(problem, ordered, curve.sequence(k), 10'000);
            RC_ASSERT(!shown || is_last);
            RC_ASSERT(shown || !is_last);  // with so much effort the proof extends to the whole graph
            RC_ASSERT(!detail::is_least_budget(problem, ordered, curve.sequence(k), 1) || is_last);
            proven += shown ? 1 : 0;
        }
    }));
    CHECK(proven > 0);
}
