// Covers recompute/chain_plan.hpp, recompute/chain_plan_options.hpp,
// recompute/detail/chain_stages/drop_recomputations.hpp, recompute/keep_all.hpp, recompute/segment_plan.hpp,
// recompute/recompute_plan.hpp, recompute/sqrt_segments.hpp.
#include <algorithm>
#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/recompute/chain_plan.hpp>
#include <repebble/recompute/detail/chain_stages/drop_recomputations.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/recompute/segment_plan.hpp>
#include <repebble/recompute/sqrt_segments.hpp>

#include "recompute/random_training.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/throws.hpp"

using namespace repebble;
using support::split_mix;

namespace {

/// A path of n vertices; every gradient reads its input.
auto path_training(std::size_t n, bytes size, std::int64_t time) -> training_graph {
    std::vector<std::vector<int>> path(n);
    for (std::size_t v = 0; v + 1 < n; ++v) path[v] = {static_cast<int>(v + 1)};
    auto const same_time = [time](int) { return time; };
    auto const same_size = [size](int) { return size; };
    return make_training_graph(path, weights{same_time, same_size}, needs_inputs_only);
}

}  // namespace

TEST_CASE("a chain plan of a path takes the least time of persistent plans", "[chain_plan]") {
    // Ten equal steps: known optima of reversals by number of snapshots.
    auto const training = path_training(10, 8, 3);
    auto const all = keep_all(training).cost;
    auto const whole = chain_plan(training, all.peak);
    REQUIRE(whole);
    CHECK(whole->cost.overhead == 0);
    CHECK(whole->segments > 5);
    std::int64_t last = 0;
    for (bytes budget = all.peak;; budget -= 8) {
        auto const p = chain_plan(training, budget);
        if (!p) break;
        CHECK(p->cost.peak <= budget);
        CHECK(p->cost.overhead >= last);
        last = p->cost.overhead;
        auto const root = sqrt_segments(training).cost;
        if (root.peak <= budget) CHECK(p->cost.time <= root.time);
    }
    CHECK(last > 30);
    auto const least = chain_plan(training);
    REQUIRE(least);
    CHECK(least->cost.peak < sqrt_segments(training).cost.peak);
}

TEST_CASE("chain plans fit, replay to their cost, and are no worse with more budget", "[chain_plan][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        split_mix random(seed);
        auto const training = support::random_training(random, 7);
        auto const most = keep_all(training).cost.peak;
        auto const budget = support::between(random, 0, most);
        chain_plan_options options;
        options.candidates.where = support::chance(random, 50) ? cut_points::narrow_places : cut_points::articulation;
        options.tapes = static_cast<std::size_t>(support::between(random, 1, 5));
        options.drop_saved_inputs = support::chance(random, 50);
        if (support::chance(random, 30)) options.exact_stages = 0;  // in slots
        if (support::chance(random, 30)) options.most_stages = 2;
        options.most_cuts = static_cast<std::size_t>(support::between(random, 0, 4));
        auto const p = chain_plan(training, budget, options);
        options.threads = 2;
        RC_ASSERT(p == chain_plan(training, budget, options));
        options.nearest = true;
        auto const nearest = chain_plan(training, budget, options);
        RC_ASSERT(nearest.has_value());
        RC_ASSERT(p.has_value() == (nearest->cost.peak <= budget));
        if (p) RC_ASSERT(*p == *nearest);
        RC_ASSERT(replay(training.flow, nearest->schedule) == nearest->cost);
    }));
}

TEST_CASE("stages end at the given candidates, and at no more than most_stages cuts", "[chain_plan]") {
    auto const training = path_training(12, 1, 1);
    chain_plan_options options{.candidates = {.groups = {{{3}, {7}}}}};
    options.most_cuts = 1;
    CHECK(chain_plan(training, {}, options)->segments == 3);
    options.candidates = {};
    options.most_stages = 3;
    CHECK(chain_plan(training, {}, options)->segments <= 4);
    options.candidates = {.groups = {{{1000}}}};
    CHECK_THROWS_AS(chain_plan(training, {}, options), bad_graph);
}

TEST_CASE("trying longer stages too makes no plan worse", "[chain_plan][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        split_mix random(seed);
        auto const training = support::random_training(random, 9);
        auto const budget = support::between(random, 0, keep_all(training).cost.peak);
        chain_plan_options options{.most_cuts = 1};
        auto const shorter = chain_plan(training, budget, options);
        options.most_cuts = 3;
        auto const any = chain_plan(training, budget, options);
        if (shorter) RC_ASSERT(any && any->cost.time <= shorter->cost.time);
    }));
}

TEST_CASE("a chain is planned in slots at every budget and with few slots", "[chain_plan]") {
    auto const training = path_training(40, 8, 3);
    chain_plan_options options{.nearest = true, .exact_stages = 0};
    for (auto const budget : {std::numeric_limits<bytes>::max(), bytes{0}}) {
        auto const p = chain_plan(training, budget, options);
        REQUIRE(p);
        CHECK((p->cost.peak <= budget) == (budget > 0));
        CHECK((p->cost.overhead == 0) == (budget > 0));
    }
    for (options.slots = 1; options.slots < 60; ++options.slots) CHECK(chain_plan(training, {}, options));
}

TEST_CASE("the chain plan of the empty graph is empty", "[chain_plan]") {
    auto const p = chain_plan(path_training(0, 1, 1), 0);
    REQUIRE(p.has_value());
    CHECK(p->schedule.steps.empty());
}

TEST_CASE("a recomputation is dropped where its result can stay resident", "[chain_plan]") {
    auto const training = path_training(4, 2, 1);
    planning_graph const graph(training);
    auto const& flow = graph.flow();
    auto const once = flow.order();
    std::vector<operation_index> twice;
    for (auto const v : once) {
        if (v == 4) twice.insert(twice.end(), {0, 1, 2});  // before the first gradient, everything is recomputed
        twice.push_back(v);
    }
    REQUIRE_FALSE(verify_schedule(flow, make_schedule(flow, twice)).broken);
    detail::drop_recomputations much(flow, 1000), little(flow, 0);
    CHECK(much.dropped_from(twice) == std::vector<operation_index>(once.begin(), once.end()));
    CHECK(little.dropped_from(twice).size() > once.size());
}

TEST_CASE("chain plans of long times: products with the number of stages may exceed 64 bits", "[chain_plan][long]") {
    auto const training = path_training(200, 8, std::int64_t{1} << 49);
    auto const budget = keep_all(training).cost.peak / 2;
    for (std::size_t const exact : {0U, 1000U}) {
        auto const p = chain_plan(training, budget, {.exact_stages = exact});
        REQUIRE(p.has_value());
        CHECK(p->cost.peak <= budget);
    }
    CHECK_THROWS_AS(chain_plan(training, budget, {.slots = 0}), bad_weight);
}
