// Covers lower_sets/superset_walk.hpp, lower_sets/positional_problem.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <rapidcheck.h>

#include <repebble/detail/position_bits.hpp>
#include <repebble/graph/lower_sets/detail/lower_set.hpp>
#include <repebble/lower_sets/positional_problem.hpp>
#include <repebble/lower_sets/superset_walk.hpp>

#include "support/brute_force.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"

using namespace repebble;

namespace {

namespace bits = detail::position_bits;

/// The state of a walk: the current set as a bit row, and the positions that were entered.
struct walked_set {
    std::vector<bits::word> row;
    std::vector<std::size_t> entered{};

    void enter(std::size_t p) {
        RC_ASSERT(!bits::has(row.data(), p));
        bits::insert(row.data(), p);
        entered.push_back(p);
    }
    void leave() {
        bits::erase(row.data(), entered.back());
        entered.pop_back();
    }
    [[nodiscard]] auto set() const -> bits::word const* { return row.data(); }
};

/// From every set, the walk visits exactly the proper supersets but V with at most `most` more vertices, each once.
template <class Sets>
void visits_supersets(Sets const& sets, std::size_t words, std::size_t most) {
    for (std::size_t i = 0; i < sets.size(); ++i) {
        std::vector<std::size_t> expected;
        for (std::size_t j = 0; j + 1 < sets.size(); ++j) {
            if (j == i || !bits::is_subset(sets[i], sets[j], words)) continue;
            std::size_t more = 0;
            bits::for_each(sets[j], words, [&](std::size_t p) { more += bits::has(sets[i], p) ? 0U : 1U; });
            if (more <= most) expected.push_back(j);
        }
        walked_set state{{sets[i], sets[i] + words}};
        std::vector<std::size_t> visited;
        sets.for_each_above(
            i, state, [&] { return state.entered.size() <= most; },
            [&](std::size_t j) {
                RC_ASSERT(bits::equal(state.set(), sets[j], words));
                visited.push_back(j);
            });
        RC_ASSERT(state.entered.empty());
        std::ranges::sort(visited);
        RC_ASSERT(visited == expected);
    }
}

}  // namespace

TEST_CASE("walks visit every superset within the limit once, with the state of that set", "[superset_walk][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const problem = support::random_weighted_dag(random, 8).problem();
        positional_problem const ordered(problem);
        for (std::size_t const most : {std::size_t{1}, std::size_t{3}, std::size_t{100}}) {
            visits_supersets(all_supersets(ordered, 1'000'000), ordered.words(), most);
            visits_supersets(family_supersets(ordered, detail::pruned_lower_sets(problem.graph)), ordered.words(),
                             most);
        }
    }));
}

TEST_CASE("positions are topological, and a sealed one has no other reader among its ancestors", "[superset_walk]") {
    // 0 -> 1 -> 3, 2 -> 3, 2 -> 4: the ancestors of 3 are read by 4, too.
    support::weighted_dag const g{{{1}, {3}, {3, 4}, {}, {}}, {1, 2, 3, 4, 5}, {1, 1, 1, 1, 1}, {0, 0, 0, 0, 1}};
    auto const problem = g.problem();
    positional_problem const ordered(problem);
    REQUIRE(ordered.size() == 5);
    for (std::size_t i = 0; i < ordered.size(); ++i) {
        auto const v = ordered.vertices()[i];
        CHECK(ordered.time(i) == problem.time[v]);
        CHECK(ordered.pinned(i) == (v == 4));
        CHECK(ordered.is_sealed(i) == (v != 3 && v != 4));
        for (auto const w : ordered.graph().successors(i)) CHECK(w > i);
        CHECK(ordered.without_time().time(i) == 0);
    }
}
