// Covers recompute/keep_all.hpp, recompute/mirror.hpp, recompute/plan_mirrors.hpp, recompute/segment_cuts.hpp,
// recompute/segment_plan.hpp, recompute/search_segments.hpp, recompute/segment_trial.hpp, recompute/sqrt_segments.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/graph/training/make_problem.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/recompute/mirror.hpp>
#include <repebble/recompute/plan_mirrors.hpp>
#include <repebble/recompute/search_segments.hpp>
#include <repebble/recompute/segment_plan.hpp>
#include <repebble/recompute/sqrt_segments.hpp>

#include "recompute/random_training.hpp"
#include "support/brute_force.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/throws.hpp"

using namespace repebble;
using support::throws;

namespace {

auto equal_training(support::adjacency const& g) {
    return make_training_graph(g, weights{unit_weight{}, unit_weight{}}, needs_inputs_only);
}

using counts = std::vector<std::uint32_t>;

/// Returns the mirror counts of the n forward operations.
auto forward_counts(mirror_plan const& plan, std::size_t n) -> counts {
    return {plan.counts.begin(), plan.counts.begin() + static_cast<std::ptrdiff_t>(n)};
}

/// Two towers of n vertices each, both read by the last vertex.
auto towers(int n) -> support::adjacency {
    support::adjacency g;
    for (int i = 0; i < n; ++i)
        for (int side = 0; side < 2; ++side) g.push_back({i + 1 < n ? 2 * i + 2 + side : 2 * n});
    g.push_back({});
    return g;
}

auto measured_by(memory_measure how, training_graph const& training, recompute_plan<> const& plan) -> bytes {
    if (how == memory_measure::peak) return plan.cost.peak;
    if (how == memory_measure::blocks) return share_blocks(find_lifetimes(training.flow, plan.schedule).buffers).total;
    return make_arena(training.flow, plan.schedule, {.offsets = {.limits = {.work = 100}}}).size;
}

}  // namespace

TEST_CASE("algorithm 3 ends a segment at the first candidate beyond the budget", "[plan_mirrors][paper]") {
    auto const chain = equal_training(support::chain(6));  // candidates: 1, 2, 3, 4
    auto const plan = plan_mirrors(chain, 1);
    CHECK(forward_counts(plan, 6) == counts{1, 0, 1, 0, 1, 1});
    CHECK(plan.between == 2);
    CHECK(plan.within == 2);
    CHECK(plan.segments == 3);
    auto const each = plan_mirrors(chain, 0);
    CHECK(forward_counts(each, 6) == counts{1, 0, 0, 0, 0, 1});
    CHECK(each.between == 4);
    CHECK(each.within == 2);  // 0 is no candidate, so it shares a segment with 1
    CHECK(forward_counts(plan_mirrors(chain, 100), 6) == counts(6, 1));
    CHECK(plan_mirrors(chain, 100).segments == 1);
}

TEST_CASE("algorithm 3 takes any candidates, alone or together", "[plan_mirrors]") {
    auto const chain = equal_training(support::chain(6));
    CHECK(forward_counts(plan_mirrors(chain, 0, {.groups = {{{3}}}}), 6) == counts{1, 1, 1, 0, 1, 1});
    auto const both = equal_training(towers(4));  // 0, 2, 4, 6 and 1, 3, 5, 7
    auto const plan = plan_mirrors(both, 0, {.groups = {{{2, 3}, {4, 5}}}});
    CHECK(forward_counts(plan, 9) == counts{1, 1, 0, 0, 0, 0, 1, 1, 1});
    CHECK(plan.between == 4);
    CHECK(plan.within == 4);
    auto const narrow = plan_mirrors(both, 3, {.where = cut_points::narrow_places});
    CHECK(narrow.segments >= 1);
    CHECK(throws<bad_graph>([&] { return plan_mirrors(chain, 0, {.groups = {{{6}}}}); }, {"vertex 6", "no forward"}));
    CHECK(throws<bad_graph>([&] { return plan_mirrors(chain, 0, {.groups = {{{99}}}}); }, {"vertex 99"}));
}

TEST_CASE("a cut at a narrow place keeps all values that cross it", "[plan_mirrors]") {
    // 0 is read by 1 and at the end; the outputs of 1 and 3 are large, that of 2 is small.
    support::weighted_dag const g{
        {{1, 5}, {2}, {3}, {4}, {5}, {}}, {1, 1, 1, 1, 1, 1}, {2, 9, 1, 9, 9, 1}, std::vector<char>(6, 0)};
    auto const plan = plan_mirrors(g.training(gradient_dependencies{}), 0, {.where = cut_points::narrow_places});
    CHECK(forward_counts(plan, 6) == counts{0, 1, 0, 1, 1, 1});
    CHECK(plan.between == 3);
}

TEST_CASE("the search tries B = 0, B = √(x y) of its result, and a grid around that", "[segment_plan][paper][tuning]") {
    auto const chain = equal_training(support::chain(100));  // x = 98, y = 2: B = 14
    auto const found = search_segments(chain);
    std::vector<bytes> limits;
    for (auto const& t : found.tried)
        if (t.limit) limits.push_back(*t.limit);
    for (bytes const limit : {0, 10, 11, 13, 14, 15, 17, 20}) CHECK(std::ranges::count(limits, limit) == 1);
    CHECK_FALSE(found.tried.front().limit.has_value());
    CHECK(found.fits);
    CHECK(found.winner().size <= sqrt_segments(chain).cost.peak);
    CHECK(found.winner().plan.cost.overhead < 100);
    auto const smallest = std::ranges::min(found.tried, {}, &segment_trial::size).size;
    CHECK(found.winner().size == smallest);
    CHECK(search_segments(chain, {}, {.grid = 0}).tried.size() == 3);
}

TEST_CASE("a chain of n takes at most 2 √n and a few bytes", "[segment_plan][paper]") {
    for (std::size_t const root : {4U, 8U, 16U, 32U}) {
        auto const plan = segment_plan(equal_training(support::chain(root * root)));
        REQUIRE(plan.has_value());
        CHECK(plan->cost.peak <= static_cast<bytes>(2 * root + 2));
        CHECK(plan->cost.overhead < static_cast<std::int64_t>(root * root));
    }
}

TEST_CASE("within a budget the fastest plan is best, and expensive values are kept while memory is left",
          "[segment_plan]") {
    support::weighted_dag g{support::chain(25), std::vector<std::int64_t>(25, 1), std::vector<bytes>(25, 1),
                            std::vector<char>(25, 0)};
    g.time[3] = g.time[8] = 50;
    auto const training = g.training(needs_inputs_only);
    auto const least = segment_plan(training);
    REQUIRE(least.has_value());
    bytes const budget = least->cost.peak + 2;
    auto const plain = segment_plan(training, budget);
    auto const kept = segment_plan(training, budget, {.keep_expensive = true});
    REQUIRE(plain.has_value());
    REQUIRE(kept.has_value());
    CHECK(kept->cost.peak <= budget);
    CHECK(kept->cost.overhead < 50);
    CHECK(kept->cost.overhead < plain->cost.overhead);
    CHECK_FALSE(segment_plan(training, 3).has_value());
    auto const nearest = segment_plan(training, 3, {.nearest = true});
    REQUIRE(nearest.has_value());
    CHECK(nearest->cost.peak == least->cost.peak);
}

TEST_CASE("steps in place and shared blocks are measured where the options say so", "[segment_plan]") {
    auto const training = equal_training(support::chain(50));
    auto const arena = search_segments(training, {}, {.measure = memory_measure::arena, .may_overwrite = always{}});
    auto const apart = search_segments(training);
    CHECK(arena.winner().size < apart.winner().size);
    CHECK(std::ranges::any_of(arena.winner().plan.schedule.steps, [](auto const& s) { return s.in_place; }));
    auto const blocks = search_segments(training, {}, {.measure = memory_measure::blocks, .may_overwrite = always{}});
    CHECK(blocks.winner().size >= arena.winner().size);
    CHECK(search_segments(training, {}, {.threads = 3, .may_overwrite = always{}}) == arena);
    CHECK_THROWS_AS(search_segments(training, {}, {.threads = 0}), bad_option);
}

TEST_CASE("limits stay within the total of any sizes", "[segment_plan]") {
    bytes const unit = bytes{1} << 56;
    for (auto const& sizes : {std::vector<bytes>{13 * unit, 11 * unit, 5, 5}, {1, 1, 1, 1}, {0, 0, 0, 0}}) {
        support::weighted_dag const g{support::chain(4), {1, 1, 1, 1}, sizes, std::vector<char>(4, 0)};
        auto const found = search_segments(g.training(needs_inputs_only), {}, {.measure = memory_measure::peak});
        std::vector<bytes> limits;
        for (auto const& t : found.tried)
            if (t.limit) limits.push_back(*t.limit);
        CHECK(std::ranges::is_sorted(limits));
        CHECK(limits.front() == 0);
        CHECK(limits.back() <= 24 * unit + 10);
    }
}

TEST_CASE("where the goal is memory the smallest plan is taken, if it fits", "[segment_plan]") {
    auto const training = equal_training(support::chain(64));
    auto const least =
        segment_plan(training, {}, {.every_kind = true, .keep_expensive = true, .measure = memory_measure::peak});
    auto const small = segment_plan(
        training, 60,
        {.goal = objective::memory, .every_kind = true, .keep_expensive = true, .measure = memory_measure::peak});
    REQUIRE(small.has_value());
    CHECK(small->cost.peak == least->cost.peak);
    CHECK(segment_plan(training, 60)->cost.overhead < small->cost.overhead);
    CHECK_FALSE(
        segment_plan(
            training, 3,
            {.goal = objective::memory, .every_kind = true, .keep_expensive = true, .measure = memory_measure::peak})
            .has_value());
}

TEST_CASE("ended while a trial is made, the search has those before it, each with its cost", "[segment_plan]") {
    auto const training = equal_training(support::chain(40'000));
    std::size_t last = 0;
    for (std::size_t const questions : {3U, 5U, 8U, 12U}) {
        std::size_t asked = 0;
        segment_options const options{.measure = memory_measure::peak,
                                      .limits = {.stop = [&] { return ++asked > questions; }}};
        auto const found = search_segments(training, {}, options);
        for (auto const& t : found.tried) CHECK(t.size <= keep_all(training).cost.peak);
        CHECK(found.tried.size() >= std::max<std::size_t>(1, last));
        last = found.tried.size();
    }
    // Without forward operations no plan takes no search.
    auto const flow = make_dataflow(support::chain(70'000), weights{unit_weight{}, unit_weight{}});
    auto const backward = make_training_graph(flow, std::vector(flow.operation_count(), pass::backward));
    for (std::size_t const questions : {0U, 1U, 4U}) {
        std::size_t asked = 0;
        auto const found =
            segment_plan(backward, {}, {.keep_expensive = true,
                                        .measure = memory_measure::peak,
                                        .limits = {.stop = [&] { return ++asked > questions; }}});
        CHECK((!found || found->cost.peak == keep_all(backward).cost.peak));
    }
}

TEST_CASE("a graph without forward part has a plan of no segments", "[segment_plan]") {
    auto const joint = make_training_graph(make_dataflow(support::chain(3)), std::vector(3, pass::backward));
    auto const plan = segment_plan(joint);
    REQUIRE(plan.has_value());
    CHECK(plan->cost == keep_all(joint).cost);
}

TEST_CASE("invalid options are refused", "[segment_plan]") {
    auto const chain = equal_training(support::chain(4));
    CHECK(throws<bad_weight>([&] { return plan_mirrors(chain, -7); }, {"-7"}));
    CHECK(throws<bad_buffer>([&] { return search_segments(chain, {}, {.alignment = 0}); }, {"alignment", "0"}));
}

TEST_CASE("the caller's own graph is planned in segments", "[segment_plan]") {
    auto const chain = make_training_problem(support::chain(36));
    auto const plan = segment_plan(make_training_problem(towers(8)), {}, {.candidates = {.groups = {{{6, 7}}}}});
    REQUIRE(plan.has_value());
    CHECK(plan->segments >= 2);
    CHECK(segment_plan(chain, 36).has_value());
    CHECK_FALSE(segment_plan(chain, 2).has_value());
}

TEST_CASE("no plan is worse than that of √n segments, nor does keeping more make one worse",
          "[segment_plan][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const training = support::random_training(random, 12);
        segment_options options{.measure = memory_measure{static_cast<std::uint8_t>(support::below(random, 3))}};
        if (support::chance(random, 50)) options.candidates.where = cut_points::narrow_places;
        if (support::chance(random, 50)) options.order = order_rule::depth_first;
        auto const root = sqrt_segments(training).cost;
        auto const least = search_segments(training, {}, options);
        RC_ASSERT(least.winner().plan.cost == replay(training.flow, least.winner().plan.schedule));
        RC_ASSERT(least.winner().size >= least.winner().plan.cost.peak);
        auto const arena = measured_by(options.measure, training, sqrt_segments(training));
        RC_ASSERT(least.winner().size <= arena);

        auto const within = search_segments(training, arena, options);
        RC_ASSERT(within.fits);
        RC_ASSERT(within.winner().size <= arena);
        RC_ASSERT(within.winner().plan.cost.time <= root.time);
        options.keep_expensive = true;
        auto const kept = search_segments(training, arena, options);
        RC_ASSERT(kept.winner().size <= arena);
        RC_ASSERT(kept.winner().plan.cost.time <= within.winner().plan.cost.time);
    }));
}

TEST_CASE("no operation runs more than twice, and mirror of the counts gives the plan", "[segment_plan][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const training = support::random_training(random, 12);
        auto const found = search_segments(training, {}, {.keep_expensive = true, .measure = memory_measure::peak});
        for (auto const& t : found.tried) {
            std::vector<std::size_t> runs(training.flow.operation_count(), 0);
            for (auto const& s : t.plan.schedule.steps)
                if (s.what == action::compute && !training.flow.writes(s.vertex).empty() &&
                    !training.flow.is_view(training.flow.writes(s.vertex).front()))
                    RC_ASSERT(++runs[s.vertex] <= 2U);
            auto const again = mirror(training, [&](operation_index v) { return t.mirrors.counts[v]; });
            if (t.limit) RC_ASSERT(again.cost == t.plan.cost);
        }
    }));
}
