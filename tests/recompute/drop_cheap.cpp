// Covers recompute/drop_cheap.hpp, recompute/keep_all.hpp.
#include <cstdint>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/graph/training/make_problem.hpp>
#include <repebble/recompute/drop_cheap.hpp>
#include <repebble/recompute/keep_all.hpp>

#include "recompute/random_training.hpp"
#include "support/brute_force.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"

using namespace repebble;

TEST_CASE("cheap results are discarded and recomputed once", "[drop_cheap]") {
    // Convolution, normalisation and activation, four times over.
    support::weighted_dag g{support::chain(12), {}, std::vector<bytes>(12, 4), std::vector<char>(12, 0)};
    for (int i = 0; i < 4; ++i) g.time.insert(g.time.end(), {10, 1, 1});
    auto const is_cheap = [](int v) { return v % 3 != 0; };
    auto const training = g.training(needs_inputs_only);
    auto const plan = drop_cheap(training, [&](operation_index v) { return is_cheap(static_cast<int>(v)); });
    CHECK(plan.cost.overhead == 8);
    CHECK(plan.cost.peak < keep_all(training).cost.peak);
    auto const step = make_training_problem(g.graph, g.weights(), needs_inputs_only);
    CHECK(drop_cheap(step, [&](operation_index v) { return is_cheap(step(v).vertex); }).cost == plan.cost);
}

TEST_CASE("operations that may run only once are kept, however cheap", "[drop_cheap][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const training = support::random_training(random, 10);
        auto const all = drop_cheap(training, [](operation_index) { return true; });
        RC_ASSERT(all.cost == replay(training.flow, all.schedule));
        auto const none = drop_cheap(training, [](operation_index) { return false; });
        RC_ASSERT(none.cost.recomputations == 0U);
        bool alternatives = false;  // of which what drops nothing may run more than others
        for (value_index x = 0; x < training.flow.value_count(); ++x)
            alternatives = alternatives || training.flow.producers(x).size() > 1;
        RC_ASSERT(alternatives || all.cost.time >= none.cost.time);
    }));
}
