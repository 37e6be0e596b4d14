// Covers offload/fitted_q_iteration.hpp.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <repebble/offload/fitted_q_iteration.hpp>
#include <repebble/offload/play_episode.hpp>
#include <repebble/offload/q_graph.hpp>
#include <repebble/offload/q_network.hpp>
#include <repebble/offload/q_weights.hpp>

#include "offload/knapsack_game.hpp"
#include "support/catch.hpp"
#include "support/throws.hpp"

using namespace repebble;

namespace {

constexpr q_shape small_shape{.width = 8};

struct counting_observer {
    std::size_t stop_after = 1'000'000'000;
    std::size_t episodes = 0, asked = 0;
    double last = 0;
    bool ascends = true;

    void progress(double share) {
        ascends = ascends && share > last;
        last = share;
    }
    void episode(std::size_t number, std::optional<planned_actions> const&) {
        ascends = ascends && number == episodes + 1;
        ++episodes;
    }
    auto cancelled() -> bool { return ++asked > stop_after; }
};

}  // namespace

TEST_CASE("fitted Q-iteration finds better plans than as many random episodes, deterministically",
          "[offload][q_iteration][long]") {
    std::int64_t learnt = 0, random = 0;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        support::knapsack_game game(8, seed);
        q_iteration_options const options{.shape = small_shape,
                                          .episodes = 60,
                                          .learning_rate = 3e-3,
                                          .rule = descent::adam,
                                          .largest_gradient = 100,
                                          .seed = seed};
        auto const found = fitted_q_iteration(game, options);
        REQUIRE(found.best);
        CHECK(found.best->overhead >= game.optimum());
        CHECK(found.episodes == 60);
        CHECK(found.feasible <= found.episodes);
        if (seed == 1) CHECK(found == fitted_q_iteration(game, options));
        learnt += found.best->overhead;
        auto const by_chance = best_random_actions(game, options.episodes, seed);
        REQUIRE(by_chance);
        random += by_chance->overhead;
    }
    CHECK(learnt < random);
}

TEST_CASE("the last episode has no random choice, and its end is worth nothing more", "[offload][q_iteration]") {
    support::knapsack_game game(6, 2);
    auto const weights = initial_q_weights(small_shape, 9);
    // Of one episode the first is the last.
    auto const found = fitted_q_iteration(game, {.start = weights, .episodes = 1, .learning_rate = 0});
    CHECK(found.best == follow_q_network(game, weights));
    CHECK(found.last == follow_q_network(game, weights));

    // One variable and one way: the value of its removal becomes its reward, -30 in units of 1 % of 1000.
    support::knapsack_game forced({{1, 30, 30}}, 1);
    auto const learnt = fitted_q_iteration(
        forced,
        {.shape = small_shape, .episodes = 300, .learning_rate = 0.01, .rule = descent::adam, .largest_gradient = 100});
    auto const graph = make_q_graph(forced);
    q_network<double> network(graph, learnt.weights);
    CHECK(std::abs(network.values({1, {0, 1}})[1] - -3) < 0.3);
    REQUIRE(learnt.last);
    CHECK(learnt.last->overhead == 30);
}

TEST_CASE("a game that cannot be won gives no plan", "[offload][q_iteration]") {
    support::knapsack_game hopeless({{1, 1, 1}, {1, 1, 1}}, 3);
    auto const found = fitted_q_iteration(hopeless, {.shape = small_shape, .episodes = 20});
    CHECK_FALSE(found.best);
    CHECK_FALSE(found.last);
    CHECK(found.episodes == 20);
    CHECK(found.feasible == 0);
}

TEST_CASE("weights of a small game go on to a large one", "[offload][q_iteration][long]") {
    support::knapsack_game small(5, 1), large(20, 2);
    auto const first = fitted_q_iteration(small, {.shape = small_shape, .episodes = 40, .rule = descent::adam});
    auto const moved = follow_q_network(large, first.weights);
    auto const none = fitted_q_iteration(large, {.start = first.weights, .episodes = 0});
    CHECK(none.weights == first.weights);
    CHECK(none.last == moved);
    auto const more = fitted_q_iteration(large, {.start = first.weights, .episodes = 10, .rule = descent::adam});
    CHECK(more.weights.shape == small_shape);
    CHECK(more.weights != first.weights);
}

TEST_CASE("observers hear of episodes and end the search", "[offload][q_iteration]") {
    support::knapsack_game game(5, 1);
    counting_observer all;
    auto const whole = fitted_q_iteration(game, {.shape = small_shape, .episodes = 12}, all);
    CHECK(all.episodes == 12);
    CHECK(all.ascends);
    CHECK(std::abs(all.last - 1) < 1e-12);
    CHECK(whole.updates > 0);

    counting_observer cut{.stop_after = 30};
    auto const part = fitted_q_iteration(game, {.shape = small_shape, .episodes = 12}, cut);
    CHECK(part.episodes == cut.episodes);
    CHECK(part.episodes < 12);
    CHECK(part.updates <= 30);
    auto const none = fitted_q_iteration(game, {.shape = small_shape, .time_limit = 0});
    CHECK(none.episodes == 0);
    CHECK_FALSE(none.best);
}

TEST_CASE("updates come every so many steps, and the memory forgets", "[offload][q_iteration]") {
    support::knapsack_game game(5, 1);
    auto const every =
        fitted_q_iteration(game, {.shape = small_shape, .episodes = 10, .memory = 7, .learning_rate = 0});
    auto const fourth = fitted_q_iteration(
        game, {.shape = small_shape, .episodes = 10, .memory = 7, .steps_per_update = 4, .learning_rate = 0});
    CHECK(fourth.updates >= every.updates / 8);
    CHECK(fourth.updates <= every.updates / 2);
}

TEST_CASE("options that mean nothing are refused", "[offload][q_iteration]") {
    support::knapsack_game game(3, 1);
    auto const refused = [&](q_iteration_options const& o, char const* word) {
        return support::throws<bad_option>([&] { return fitted_q_iteration(game, o); }, {word});
    };
    CHECK(refused({.batch = 0}, "batch"));
    CHECK(refused({.memory = 0}, "memory"));
    CHECK(refused({.steps_per_update = 0}, "steps_per_update"));
    CHECK(refused({.discount = 1.5}, "discount"));
    CHECK(refused({.learning_rate = -1}, "learning_rate"));
    CHECK(refused({.largest_gradient = 0}, "largest_gradient"));
    CHECK(refused({.reward_unit = 0}, "reward_unit"));
    CHECK(refused({.time_limit = -1}, "time_limit"));
    CHECK(refused({.shape = {.width = 0}}, "width"));
}
