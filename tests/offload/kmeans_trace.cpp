// Covers traces/kmeans_trace.hpp, traces/freed_between_uses.hpp.
#include <algorithm>
#include <cstdint>
#include <limits>

#include <rapidcheck.h>

#include <repebble/traces/freed_between_uses.hpp>
#include <repebble/traces/greedy_swaps.hpp>
#include <repebble/traces/kmeans_trace.hpp>
#include <repebble/offload/play_episode.hpp>
#include <repebble/traces/swap_baselines.hpp>
#include <repebble/offload/swap_environment.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/throws.hpp"
#include "traces/hand_traces.hpp"

using namespace repebble;

TEST_CASE("an iteration of k-means: samples are used twice, and again in the next iteration", "[kmeans_trace]") {
    auto const t = kmeans_trace({.points = 10, .dimensions = 2, .clusters = 3, .chunks = 4});
    CHECK_NOTHROW(check_trace(t));
    swap_problem const p(t);
    CHECK(p.persistent() == 10 * 2 * 4 + 10 * 4 + 3 * 2 * 4);
    CHECK(p.peak() == p.persistent() + 3 * 3 * 4);  // the largest chunk has 3 points
    CHECK(t.computations.size() == 4 * 3 + 1);
    // Each chunk of samples: from its distances to its sums, and from these into the next iteration.
    CHECK(std::ranges::count_if(p.intervals(), [](auto const& i) { return i.variable == 1; }) == 2);
    CHECK(std::ranges::count_if(p.intervals(), [](auto const& i) { return i.variable == 1 && i.wraps; }) == 1);
}

TEST_CASE("point 28: k-means runs in half of its memory, by swapping only", "[kmeans_trace]") {
    swap_problem const p(kmeans_trace({.points = 1 << 16, .dimensions = 64, .clusters = 256, .chunks = 8}));
    swap_options const options{.limit = p.peak() * 6 / 10, .link = {.size = 12, .time = 1}};
    auto const greedy = greedy_swaps(p, options);
    CHECK(greedy.result.feasible);
    CHECK(greedy.result.overhead > 0);
    CHECK(superneurons_swaps(p, options, superneurons_mode::swapping).result.feasible);
    CHECK(!memonger_swaps(p, options).result.feasible);  // nothing of an input can be computed again
    swap_environment env(p, options);
    auto const random = best_random_actions(env, 20);
    REQUIRE(random.has_value());
    CHECK(simulate_swaps(p, env.plan_of(random->nodes), options).overhead == random->overhead);
}

TEST_CASE("k-means that is none is refused, and the message names the option", "[kmeans_trace]") {
    CHECK(support::throws<bad_option>([] { return kmeans_trace({.points = 0}); }, {"points", "0"}));
    CHECK(support::throws<bad_option>([] { return kmeans_trace({.points = 3, .chunks = 4}); }, {"chunks"}));
    CHECK(support::throws<bad_option>([] { return kmeans_trace({.flops_per_second = 0}); }, {"rates"}));
    CHECK(support::throws<bad_weight>(
        [] { return kmeans_trace({.points = std::numeric_limits<std::int64_t>::max() / 4}); }, {"overflow"}));
}

TEST_CASE("point 27: freed between uses an iteration has its times and the least peak of swapping",
          "[freed_between_uses]") {
    swap_problem const figure(support::figure_4());
    auto const freed = freed_between_uses(figure);
    CHECK(peak_of(freed) == 100);
    CHECK(freed.rows.size() == figure.row_count() + 2);
    CHECK(freed_between_uses(figure, 101) == figure.iteration());
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        swap_problem const p(support::random_trace(random, 10));
        auto const t = freed_between_uses(p);
        check_trace(t);
        RC_ASSERT(t.duration == p.iteration().duration);
        RC_ASSERT(t.computations == p.iteration().computations);
        swap_problem const again(t);
        for (computation_index c = 0; c < t.computations.size(); ++c) RC_ASSERT(again.at(c).time == p.at(c).time);
        auto const all = simulate_swaps(p, swap_plan(p.intervals().size(), swap_choice::offload), {});
        RC_ASSERT(again.peak() == all.least_limit);
    }));
}
