// Covers traces/swap_baselines.hpp, traces/greedy_swaps.hpp, traces/judged_swaps.hpp.
#include <algorithm>
#include <cstdint>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/traces/greedy_swaps.hpp>
#include <repebble/offload/play_episode.hpp>
#include <repebble/traces/swap_baselines.hpp>
#include <repebble/offload/swap_environment.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"
#include "traces/hand_traces.hpp"

using namespace repebble;

namespace {

/// A chain of layers, each of `time` and `size`: convolutions of time 30 and activations of time 3 in turn.
auto layers(std::size_t count) -> swap_problem {
    auto const g = support::chain(count);
    auto const time = [](int v) { return v % 2 == 0 ? 30 : 3; };
    auto const size = [](int) { return 10; };
    auto const training = make_training_graph(g, weights{time, size});
    return swap_problem(trace_of(training.flow, make_schedule(training.flow)));
}

auto count_of(swap_plan const& plan, swap_choice c) { return std::ranges::count(plan, c); }

auto crossing(swap_problem const& p) { return std::ranges::count_if(p.intervals(), detail::crosses_peak(p)); }

}  // namespace

TEST_CASE("point 31: memonger keeps one value of each segment", "[swap_baselines]") {
    auto const p = layers(16);
    REQUIRE(crossing(p) >= 15);
    swap_options const options{.limit = p.peak() * 6 / 10, .link = {.size = 1, .time = 1000}};
    auto const found = memonger_swaps(p, options);
    CHECK(found.result.feasible);
    CHECK(count_of(found.plan, swap_choice::offload) == 0);
    CHECK(count_of(found.plan, swap_choice::remove) > 0);
    CHECK(found.result == simulate_swaps(p, found.plan, options));
    // A limit below all of the grid: the plan of the least memory.
    CHECK(!memonger_swaps(p, {.limit = 10}).result.feasible);
}

TEST_CASE("point 31: SuperNeurons removes what is cheap and offloads what was used least recently",
          "[swap_baselines]") {
    auto const p = layers(16);
    swap_options const options{.limit = p.peak() * 7 / 10, .link = {.size = 1, .time = 1}};
    auto const swapping = superneurons_swaps(p, options, superneurons_mode::swapping);
    CHECK(swapping.result.feasible);
    CHECK(count_of(swapping.plan, swap_choice::remove) == 0);
    // The first layers' outputs were used least recently.
    auto const first = std::ranges::find_if(p.intervals(), detail::crosses_peak(p)) - p.intervals().begin();
    CHECK(swapping.plan[static_cast<std::size_t>(first)] == swap_choice::offload);
    auto const recomputing = superneurons_swaps(p, options, superneurons_mode::recomputing);
    CHECK(count_of(recomputing.plan, swap_choice::offload) == 0);
    for (std::size_t i = 0; i < p.intervals().size(); ++i)
        if (recomputing.plan[i] == swap_choice::remove) CHECK(p.at(p.intervals()[i].producer).time <= 6);
    CHECK(count_of(recomputing.plan, swap_choice::remove) >= 7);
    auto tight = options;
    tight.limit = recomputing.result.least_limit - 20;
    auto const both = superneurons_swaps(p, tight, superneurons_mode::both);
    CHECK(both.result.feasible);
    CHECK(count_of(both.plan, swap_choice::remove) == count_of(recomputing.plan, swap_choice::remove));
    CHECK(count_of(both.plan, swap_choice::offload) > 0);
}

TEST_CASE("point 31: TFLMS offloads the longest intervals, as few as fit", "[swap_baselines]") {
    auto const p = layers(16);
    swap_options const options{.limit = p.peak() * 7 / 10, .link = {.size = 1, .time = 1}};
    auto const found = tflms_swaps(p, options);
    CHECK(found.result.feasible);
    auto const count = count_of(found.plan, swap_choice::offload);
    CHECK(count > 0);
    CHECK(count < crossing(p));
    auto const longest =
        std::ranges::max_element(p.intervals(), {}, [](auto const& i) { return i.next_use - i.last_use; });
    CHECK(found.plan[static_cast<std::size_t>(longest - p.intervals().begin())] == swap_choice::offload);
    CHECK(found.result.overhead >= simulate_swaps(p, found.plan, options).overhead);  // a lookahead never helps here
}

TEST_CASE("point 31: vDNN offloads all, or what convolutions read, and waits after each layer", "[swap_baselines]") {
    auto const p = layers(16);
    swap_options const options{.limit = p.peak(), .link = {.size = 1, .time = 5}};
    auto const all = vdnn_swaps(p, options, vdnn_mode::all);
    CHECK(count_of(all.plan, swap_choice::offload) == crossing(p));
    auto const some = vdnn_swaps(p, options, vdnn_mode::convolutions);
    CHECK(count_of(some.plan, swap_choice::offload) < crossing(p));
    CHECK(count_of(some.plan, swap_choice::offload) > 0);
    // A copy takes 50, a layer 30 or 3: computing waits for the rest of each.
    CHECK(all.result.waited > simulate_swaps(p, all.plan, options).waited);
    CHECK(all.result.overhead > some.result.overhead);
}

TEST_CASE("point 30: memory is reduced by a share of the peak, with parameters or without", "[judged_swaps]") {
    support::trace_by_hand t;
    auto const parameter = t.variable(60), x = t.variable(40);
    t.malloc(x);
    t.compute({parameter}, {x});
    t.free(x);
    swap_problem const p(t.finish());
    CHECK(memory_reduction(p, 80) == 0.2);
    CHECK(memory_reduction(p, 80, false) == 0.5);
    CHECK(memory_reduction(p, 100) == 0.0);
    CHECK(memory_reduction(p, 1000) == 0.0);
}

TEST_CASE("the greedy planner uses both copies and computing again", "[greedy_swaps]") {
    auto const p = layers(16);
    swap_options const options{.limit = p.peak() * 6 / 10, .link = {.size = 1, .time = 2}};
    auto const found = greedy_swaps(p, options);
    CHECK(found.result.feasible);
    CHECK(found.result.overhead <= memonger_swaps(p, options).result.overhead);
    CHECK(found.result.overhead <= tflms_swaps(p, options).result.overhead);
    CHECK(!greedy_swaps(p, {.limit = 1}).result.feasible);
}

TEST_CASE("the actions of random episodes are a plan of their overhead", "[swap_environment]") {
    auto const p = layers(16);
    swap_options const options{.limit = p.peak() * 7 / 10, .link = {.size = 1, .time = 2}};
    swap_environment env(p, options);
    auto const best = best_random_actions(env, 50);
    REQUIRE(best.has_value());
    auto const r = simulate_swaps(p, env.plan_of(best->nodes), options);
    CHECK(r.feasible);
    CHECK(r.overhead == best->overhead);
}

TEST_CASE("every baseline's plan is judged as it is, and offloading alone reaches any limit that offloading all does",
          "[swap_baselines][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        swap_problem const p(support::random_trace(random, 8));
        auto options = support::random_swap_options(random, p);
        options.timeline = false;
        auto const greedy = greedy_swaps(p, options);
        RC_ASSERT(greedy.result == simulate_swaps(p, greedy.plan, options));
        auto const lru = superneurons_swaps(p, options, superneurons_mode::swapping);
        auto const all = simulate_swaps(p, swap_plan(p.intervals().size(), swap_choice::offload), options);
        RC_ASSERT(lru.result.feasible == all.feasible);
        RC_ASSERT(tflms_swaps(p, options).result.feasible == all.feasible);
        auto const memonger = memonger_swaps(p, options);
        RC_ASSERT(memonger.result == simulate_swaps(p, memonger.plan, options));
        for (auto const mode : {vdnn_mode::all, vdnn_mode::convolutions})
            RC_ASSERT(vdnn_swaps(p, options, mode).result.overhead >= 0);
    }));
}
