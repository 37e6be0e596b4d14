// Covers offload/play_episode.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <rapidcheck.h>

#include <repebble/offload/play_episode.hpp>

#include "offload/knapsack_game.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/throws.hpp"

using namespace repebble;

namespace {

/// The last valid action.
constexpr auto last_action = [](q_state const& s) { return s.actions.size() - 1; };

}  // namespace

TEST_CASE("an episode: rows without choice are passed over, and rewards sum to the overhead", "[offload][episode]") {
    // At the beginning no variable is there yet; at row 1 the first may be removed for 7, at row 2 offloaded for 5.
    support::knapsack_game game({{4, 7, 5}, {4, 2, 3}}, 8);
    std::vector<transition> seen;
    auto const found = play_episode(game, last_action, [&](transition const& t) {
        seen.push_back(t);
        return true;
    });
    REQUIRE(found);
    CHECK(*found == planned_actions{{1, 3}, 9});
    REQUIRE(seen.size() == 2);
    CHECK(seen[0] == transition{{1, {0, 1}}, 1, -7, {3, {0, 3}}, false});
    CHECK(seen[1] == transition{{3, {0, 3}}, 3, -2, {}, true});
    CHECK(game.terminal());
}

TEST_CASE("every state that a policy is asked about has a choice", "[offload][episode]") {
    CHECK(support::holds([] {
        support::knapsack_game game(*rc::gen::inRange<std::size_t>(1, 8), *rc::gen::inRange<std::uint64_t>(0, 1000));
        detail::split_mix random(*rc::gen::inRange<std::uint64_t>(0, 1000));
        std::int64_t sum = 0;
        auto const found = play_episode(
            game,
            [&](q_state const& s) {
                RC_ASSERT(s.actions.size() > 1);
                return random.below(s.actions.size());
            },
            [&](transition const& t) {
                sum += t.reward;
                RC_ASSERT(t.terminal == t.next.actions.empty());
                return true;
            });
        RC_ASSERT(found.has_value() == game.feasible());
        if (found) RC_ASSERT(found->overhead == -sum);
    }));
}

TEST_CASE("a dead end is no plan, nor is an episode that was ended", "[offload][episode]") {
    support::knapsack_game game(4, 1);
    std::int64_t sum = 0;
    auto const nothing = play_episode(
        game, [](q_state const&) { return std::size_t{0}; },
        [&](transition const& t) {
            sum += t.reward;
            return true;
        });
    CHECK_FALSE(nothing);
    CHECK(sum == -2 * support::knapsack_game::length);
    CHECK_FALSE(play_episode(game, last_action, [](transition const&) { return false; }));
    CHECK(support::throws<precondition_violated>(
        [&] { return play_episode(game, [](q_state const& s) { return s.actions.size(); }); }, {"actions"}));
}

TEST_CASE("random choice is uniform over valid actions and nothing", "[offload][episode]") {
    support::knapsack_game game({{1, 1, 1}, {1, 1, 1}}, 1);  // ends with the first action, at one of four rows
    std::vector<std::size_t> taken(5);
    constexpr std::size_t episodes = 4000;
    detail::split_mix random(1);
    for (std::size_t k = 0; k < episodes; ++k) {
        auto const found = play_episode(game, [&](q_state const& s) { return random.below(s.actions.size()); });
        ++taken[found ? found->nodes.at(0) : 0];
    }
    // Row 1: nothing or 1; row 2: nothing, 1 or 2; row 3: one more; row 4: one more, and then the end.
    auto const share = [&](std::size_t v) { return static_cast<double>(taken[v]) / static_cast<double>(episodes); };
    auto const close = [](double a, double b) { return std::abs(a - b) < 0.03; };
    CHECK(close(share(1), 1.0 / 2 + 1.0 / 6 + 1.0 / 24 + 0));
    CHECK(close(share(2), 1.0 / 6 + 1.0 / 24 + 0));
}

TEST_CASE("the best of random episodes: deterministic, and no worse with more of them", "[offload][episode]") {
    support::knapsack_game game(8, 3);
    std::optional<std::int64_t> before;
    for (std::size_t const episodes : {1U, 10U, 100U, 1000U}) {
        auto const found = best_random_actions(game, episodes, 5);
        CHECK(found == best_random_actions(game, episodes, 5));
        if (before) REQUIRE(found);
        if (before) CHECK(found->overhead <= *before);
        if (found) CHECK(found->overhead >= game.optimum());
        if (found) before = found->overhead;
    }
    CHECK_FALSE(best_random_actions(game, 0));
}
