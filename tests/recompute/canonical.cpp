// Covers recompute/canonical.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <rapidcheck.h>

#include <repebble/lower_sets/evaluate_formula.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/recompute/canonical.hpp>

#include "recompute/random_training.hpp"
#include "support/brute_force.hpp"
#include "support/catch.hpp"
#include "support/naive_replay.hpp"
#include "support/property.hpp"
#include "support/throws.hpp"

using namespace repebble;
using support::built_conventions;
using support::split_mix;
using support::throws;
using support::weighted_dag;

namespace {

auto unit(support::adjacency g) -> weighted_dag {
    auto const n = g.size();
    return {std::move(g), std::vector<std::int64_t>(n, 1), std::vector<bytes>(n, 1), std::vector<char>(n, 0)};
}

/// Returns vertices in execution order; the gradient of v as -1 - v.
auto order_of_runs(training_graph const& training, schedule<> const& plan) -> std::vector<int> {
    std::vector<int> order;
    for (auto const& s : plan.steps) {
        if (s.what != action::compute) continue;
        auto const& origin = training.origin[s.vertex];
        auto const v = static_cast<int>(origin.vertex);
        order.push_back(origin.pass == pass::forward ? v : -1 - v);
    }
    return order;
}

/// Returns the replay, after comparing it with the naive replay.
auto replayed(dataflow const& flow, schedule<> const& plan) -> replay_result {
    auto const result = replay(flow, plan);
    auto const naive = support::naive_replay(flow, plan);
    RC_ASSERT(naive.broken_step == std::nullopt);
    RC_ASSERT(naive.time == result.time);
    RC_ASSERT(naive.peak == result.peak);
    return result;
}

}  // namespace

TEST_CASE("kusumoto, section 3: a chain of 4 in two segments runs in this order", "[canonical][paper]") {
    auto const chain = unit(support::chain(4));
    auto const training = chain.training(needs_inputs_only);
    planning_graph const graph(training);
    auto const sequence = support::sequence_from({0b0011, 0b1111}, 4);
    auto const literal = canonical_literal(graph, sequence);
    CHECK(order_of_runs(training, literal) == std::vector{0, 1, 2, 3, 2, 3, -4, -3, 0, -2, -1});
    CHECK(order_of_runs(training, canonical_literal(graph, sequence, true)) ==
          std::vector{0, 1, 2, 3, -4, -3, 0, -2, -1});
    CHECK(order_of_runs(training, canonical(graph, sequence)) == std::vector{0, 1, 2, 3, -4, -3, 0, -2, -1});
    CHECK(replay(graph.flow(), literal).peak == 5);
    CHECK(replay(graph.flow(), canonical(graph, sequence)).peak == 4);
}

TEST_CASE("canonical recomputes no value without a reader", "[canonical]") {
    auto const diamond = unit({{1, 2}, {3}, {3}, {}});
    auto const training = diamond.training(gradient_dependencies{never{}, never{}});
    planning_graph const graph(training);
    for (auto const& sets : {std::vector<support::mask>{0b0001, 0b1111}, {0b0011, 0b1111}, {0b0111, 0b1111}})
        CHECK(replay(graph.flow(), canonical(graph, support::sequence_from(sets, 4))).overhead == 0);
}

TEST_CASE("the literal form replays to formulas (1) and (2), where gradients read inputs", "[canonical][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        split_mix random(seed);
        for (int i = 0; i < 20; ++i) {
            auto const g = support::random_weighted_dag(random, 10, 9, support::below(random, 2) * 25);
            auto const sequence = support::sequence_from(support::random_sequence(random, g), g.size());
            if (g.size() == 0) continue;
            auto const training = g.training(needs_inputs_only);
            planning_graph const graph(training);
            for (bool const keep_last : {false, true}) {
                auto const formula = evaluate_formula(g.problem(), sequence, keep_last);
                auto const cost = replayed(graph.flow(), canonical_literal(graph, sequence, keep_last));
                RC_ASSERT(cost.overhead == formula.overhead);
                RC_ASSERT(cost.peak == formula.peak);
            }
        }
    }));
}

TEST_CASE("where gradients read outputs too, the literal form is legal and takes the time of (1)",
          "[canonical][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        split_mix random(seed);
        for (int i = 0; i < 10; ++i) {
            auto const g = support::random_weighted_dag(random, 10, 9, support::below(random, 2) * 25);
            auto const sequence = support::sequence_from(support::random_sequence(random, g), g.size());
            if (g.size() == 0) continue;
            for (auto const how : built_conventions) {
                auto const training =
                    make_training_graph(make_dataflow(g.graph, g.weights()),
                                        support::random_needs(random, make_dataflow(g.graph, g.weights())), how);
                planning_graph const graph(training);
                for (bool const keep_last : {false, true}) {
                    auto const cost = replayed(graph.flow(), canonical_literal(graph, sequence, keep_last));
                    RC_ASSERT(cost.overhead == evaluate_formula(g.problem(), sequence, keep_last).overhead);
                }
            }
        }
    }));
}

TEST_CASE("canonical takes no more time or memory than the literal form", "[canonical][property]") {
    std::size_t less = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        split_mix random(seed);
        for (int i = 0; i < 10; ++i) {
            auto const forward = support::random_forward(random, 9);
            auto const needs = support::random_needs(random, forward);
            for (auto const how : built_conventions) {
                auto const training = make_training_graph(forward, needs, how);
                planning_graph const graph(training);
                auto const sequence = support::random_sequence(random, graph.problem());
                auto const real = replay(graph.flow(), canonical(graph, sequence));
                for (bool const keep_last : {false, true}) {
                    auto const literal = replay(graph.flow(), canonical_literal(graph, sequence, keep_last));
                    RC_ASSERT(real.time <= literal.time);
                    RC_ASSERT(real.peak <= literal.peak);
                    less += real.peak < literal.peak ? 1 : 0;
                }
            }
        }
    }));
    CHECK(less > 0);
}

TEST_CASE("both forms are legal with views, several outputs, workspaces and operations that run once",
          "[canonical][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        split_mix random(seed);
        for (int i = 0; i < 10; ++i) {
            auto const training = support::random_training(random, 9);
            planning_graph const graph(training);
            auto const sequence = support::random_sequence(random, graph.problem());
            std::vector<schedule<>> plans{canonical(graph, sequence)};
            if (graph.formulas_apply())
                for (bool const keep_last : {false, true})
                    plans.push_back(canonical_literal(graph, sequence, keep_last));
            for (auto const& plan : plans) {
                auto const contracted = replayed(graph.flow(), plan);
                auto const whole = replayed(training.flow, graph.expand(plan));
                RC_ASSERT(whole.peak <= contracted.peak);  // views that nobody reads again are dropped
                RC_ASSERT(whole.time <= contracted.time);
            }
        }
    }));
}

TEST_CASE("gradients run once each, from the last segment to the first", "[canonical][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        split_mix random(seed);
        auto const g = support::random_weighted_dag(random, 10);
        if (g.size() == 0) return;
        auto const sequence = support::sequence_from(support::random_sequence(random, g), g.size());
        auto const training = g.training(gradient_dependencies{});
        planning_graph const graph(training);
        for (auto const& plan : {canonical(graph, sequence), canonical_literal(graph, sequence)}) {
            std::vector<std::uint32_t> segments;
            for (int const v : order_of_runs(training, plan))
                if (v < 0) segments.push_back(sequence.segment[static_cast<std::size_t>(-1 - v)]);
            RC_ASSERT(segments.size() == g.size());
            RC_ASSERT(std::ranges::is_sorted(segments, std::ranges::greater{}));
        }
    }));
}

TEST_CASE("the literal form refuses joint graphs", "[canonical]") {
    auto const joint = make_training_graph(make_dataflow(support::chain(2)), {pass::forward, pass::backward});
    planning_graph const graph(joint);
    lower_set_sequence const sequence{{0}, 1};
    CHECK(replay(graph.flow(), canonical(graph, sequence)).time == 2);
    CHECK(throws<bad_graph>([&] { return canonical_literal(graph, sequence); }, {"joint"}));
}

TEST_CASE("a sequence of another graph, or of sets that are no lower sets, is refused", "[canonical]") {
    auto const training = unit(support::chain(3)).training(needs_inputs_only);
    planning_graph const graph(training);
    auto const with = [&](lower_set_sequence const& s) { return [&graph, s] { return canonical(graph, s); }; };
    CHECK(throws<bad_graph>(with({{0, 0}, 1}), {"2 vertices", "has 3"}));
    CHECK(throws<bad_graph>(with({{0, 1, 2}, 2}), {"vertex 2", "segment 2 of 2"}));
    CHECK(throws<bad_graph>(with({{1, 0, 1}, 2}), {"vertex 1 reads vertex 0"}));
    auto const empty = make_training_graph(make_dataflow(support::chain(1)), {pass::backward});
    planning_graph const no_forward(empty);
    CHECK(throws<bad_graph>([&] { return canonical(no_forward, {}); }, {"forward graph is empty"}));
}
