// Covers recompute/keep_all.hpp, recompute/mirror.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/dataflow/detail/needed_operations.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/graph/training/make_problem.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/pebbling/make_unrolled.hpp>
#include <repebble/recompute/mirror.hpp>

#include "recompute/random_training.hpp"
#include "support/brute_force.hpp"
#include "support/catch.hpp"
#include "support/computations.hpp"
#include "support/property.hpp"
#include "support/throws.hpp"

using namespace repebble;
using support::throws;

namespace {

auto mirrored_training(support::adjacency const& g) {
    return make_training_graph(g, weights{unit_weight{}, unit_weight{}}, needs_inputs_only);
}

/// Counts by operation of the training graph: counts[v], and 0 beyond.
struct listed_counts {
    std::vector<std::uint32_t> counts;
    auto operator()(operation_index v) const -> std::uint32_t { return v < counts.size() ? counts[v] : 0; }
};

auto computed(recompute_plan<> const& plan) -> std::vector<operation_index> {
    std::vector<operation_index> all;
    for (auto const& [v, repetition] : support::computations(plan.schedule)) all.push_back(v);
    return all;
}

/// Random counts up to 3 of operations that may run twice.
auto random_counts(support::split_mix& random, training_graph const& training) -> listed_counts {
    listed_counts m;
    auto const most = support::below(random, 4);
    for (operation_index v = 0; v < training.flow.operation_count(); ++v) {
        auto const count = static_cast<std::uint32_t>(support::below(random, most + 1));
        m.counts.push_back(training.flow.recomputable(v) ? count : 0);
    }
    return m;
}

}  // namespace

TEST_CASE("algorithm 2: with count 1 a result is discarded and recomputed where a gradient first reads it",
          "[mirror][paper]") {
    auto const training = mirrored_training(support::chain(4));  // the gradient of vertex v is operation 7 - v
    auto const plan = mirror(training, listed_counts{{1, 0, 1, 0}});
    CHECK(computed(plan) == std::vector<operation_index>{0, 1, 2, 3, 4, 2, 5, 6, 0, 7});
    CHECK(plan.cost.overhead == 2);
    CHECK(plan.cost.peak == 4);  // 1, 3 and 2 gradients; or 1, recomputed 2 and 2 gradients
}

TEST_CASE("algorithm 2: copies of level two read those of level one", "[mirror][paper]") {
    auto const training = mirrored_training(support::chain(4));
    auto const plan = mirror(training, listed_counts{{2, 1, 0, 0}});
    CHECK(computed(plan) == std::vector<operation_index>{0, 1, 2, 3, 4, 5, 0, 1, 6, 0, 7});
    CHECK(plan.cost.overhead == 3);
    auto const graph = make_unrolled(training.flow, mirror(training, listed_counts{{2, 1, 0, 0}}).schedule);
    CHECK(graph.flow.operation_count() == 11);
    CHECK(graph.origin == computed(plan));
    CHECK(graph.repetition == std::vector<std::uint32_t>{0, 0, 0, 0, 0, 0, 1, 1, 0, 2, 0});
    CHECK(graph.flow.graph().predecessors(7).front() == 6);
    CHECK(replay(graph.flow, make_schedule(graph.flow)).peak == plan.cost.peak);
}

TEST_CASE("algorithm 2: all counts 0 is the ordinary gradient graph", "[mirror][paper]") {
    auto const training = mirrored_training(support::chain(7));
    CHECK(mirror(training, [](operation_index) { return 0; }) == keep_all(training));
    auto const graph = make_unrolled(training.flow, mirror(training, [](operation_index) { return false; }).schedule);
    CHECK(graph.flow == training.flow);
}

TEST_CASE("two copies of one result are merged into the newest", "[mirror]") {
    // 0 is read by 1 and 2; the gradient of 1 has copy 2 of 0 before that of 2 asks for copy 1.
    support::adjacency const g{{1, 2}, {4}, {3}, {4}, {}};
    auto const training = make_training_graph(g, weights{}, gradient_dependencies{});
    auto const plan = mirror(training, listed_counts{{2, 1, 1, 0, 0}});
    auto const graph = make_unrolled(training.flow, mirror(training, listed_counts{{2, 1, 1, 0, 0}}).schedule);
    CHECK(replay(graph.flow, make_schedule(graph.flow)).peak == plan.cost.peak);
    CHECK(plan.cost.recomputations <= 4);
}

TEST_CASE("in depth-first order a branch is finished before the next begins", "[mirror]") {
    support::adjacency const g{{1, 2}, {3}, {4}, {5}, {5}, {}};
    auto const training = mirrored_training(g);
    auto const none = [](operation_index) { return 0; };
    auto const forward = [&](order_rule how) {
        auto all = computed(mirror(training, none, how));
        all.resize(6);
        return all;
    };
    CHECK(forward(order_rule::by_index) == std::vector<operation_index>{0, 1, 2, 3, 4, 5});
    auto const deep = forward(order_rule::depth_first);
    CHECK((deep == std::vector<operation_index>{0, 1, 3, 2, 4, 5} ||
           deep == std::vector<operation_index>{0, 2, 4, 1, 3, 5}));
}

TEST_CASE("a count of the caller's own vertices", "[mirror]") {
    support::adjacency const g{{1}, {2}, {}};
    auto const step = make_training_problem(g);
    auto const plan = mirror(step, [&](operation_index v) { return step(v).vertex == 1; });
    CHECK(plan.cost.recomputations == 1);
    CHECK(plan.cost.overhead == 1);
}

TEST_CASE("invalid counts are refused by vertex", "[mirror]") {
    auto const training = mirrored_training(support::chain(3));
    CHECK(throws<bad_graph>([&] { return mirror(training, [](operation_index v) { return v == 1 ? -1 : 0; }); },
                            {"vertex 1", "-1"}));
    auto const too_many = [](operation_index) { return std::numeric_limits<std::uint64_t>::max(); };
    CHECK(throws<bad_graph>([&] { return mirror(training, too_many); }, {"vertex 0", "18446744073709551615"}));
    CHECK(throws<limit_reached>([&] { return mirror(training, [](operation_index) { return 100'000'000; }); },
                                {"vertex 1", "100000000"}));
    CHECK(mirror(training, [](operation_index) { return '\1'; }).cost.recomputations > 0);
    support::weighted_dag const once{support::chain(2), {1, 1}, {1, 1}, {1, 0}};
    auto const pinned = once.training(gradient_dependencies{});
    CHECK(throws<bad_graph>([&] { return mirror(pinned, [](operation_index) { return 1; }); },
                            {"vertex 0", "only once"}));
}

TEST_CASE("the mirrored graph of any counts is legal and replays to the peak of the schedule", "[mirror][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        for (int i = 0; i < 4; ++i) {
            auto const training = support::random_training(random, 10);
            auto const m = random_counts(random, training);
            auto const how = support::chance(random, 50) ? order_rule::by_index : order_rule::depth_first;
            auto const plan = mirror(training, m, how);
            RC_ASSERT(plan.cost == replay(training.flow, plan.schedule));
            auto const graph = make_unrolled(training.flow, mirror(training, m, how).schedule);
            auto const whole = replay(graph.flow, make_schedule(graph.flow));
            RC_ASSERT(whole.peak == plan.cost.peak);
            RC_ASSERT(whole.time == plan.cost.time);
            std::vector<std::uint32_t> runs(training.flow.operation_count(), 0);
            for (auto const v : graph.origin) ++runs[v];
            planning_graph const contracted(training);
            auto const needed = detail::find_needed(training.flow);
            for (std::size_t c = 0; c < contracted.flow().operation_count(); ++c) {
                auto const v = contracted.owner(c);
                RC_ASSERT(runs[v] <= 1 + (contracted.number(c) == contracted.none ? 0 : m(v)));
                RC_ASSERT((runs[v] >= 1U || !needed.required[v]));  // alternatives and what they read need not
            }
        }
    }));
}
