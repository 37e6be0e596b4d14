// Covers recompute/keep_all.hpp, recompute/sqrt_segments.hpp.
#include <cstddef>
#include <cstdint>
#include <vector>

#include <rapidcheck.h>

#include <repebble/recompute/keep_all.hpp>
#include <repebble/recompute/sqrt_segments.hpp>

#include "recompute/random_training.hpp"
#include "support/brute_force.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"

using namespace repebble;

namespace {

auto segmented_training(support::adjacency const& g) {
    return make_training_graph(g, weights{unit_weight{}, unit_weight{}}, needs_inputs_only);
}

}  // namespace

TEST_CASE("chen: a chain of n is cut into √n segments and takes at most one more forward pass",
          "[sqrt_segments][paper]") {
    for (std::size_t const root : {2U, 3U, 5U, 10U}) {
        std::size_t const n = root * root;
        auto const training = segmented_training(support::chain(n));
        auto const plan = sqrt_segments(training);
        CHECK(plan.segments == root);
        CHECK(plan.cost.overhead ==
              static_cast<std::int64_t>((root - 1) * (root - 1)));  // all but the kept values and the last segment
        CHECK(plan.cost.peak <= static_cast<bytes>(2 * root + 2));
        CHECK(plan.formula->overhead == static_cast<std::int64_t>(n - (root - 1)));
    }
}

TEST_CASE("a graph without articulation points is one segment, which is kept", "[sqrt_segments]") {
    auto const training = segmented_training(support::parallel_chains(3, 4));
    auto const plan = sqrt_segments(training);
    CHECK(plan.segments == 1);
    CHECK(plan.cost.overhead == 0);
}

TEST_CASE("segments are cut where a chain of diamonds is narrow", "[sqrt_segments]") {
    support::adjacency g;
    for (int d = 0; d < 12; ++d) {  // a and its two readers, which the next a reads
        g.push_back({3 * d + 1, 3 * d + 2});
        g.push_back({3 * d + 3});
        g.push_back({3 * d + 3});
    }
    g.push_back({});
    auto const plan = sqrt_segments(segmented_training(g));
    CHECK(plan.segments >= 5);
    CHECK(plan.cost.peak < keep_all(segmented_training(g)).cost.peak / 2);
}

TEST_CASE("the empty graph has no segment", "[sqrt_segments]") {
    auto const plan = sqrt_segments(segmented_training({}));
    CHECK(plan.segments == 0);
    CHECK(plan.schedule.steps.empty());
}

TEST_CASE("sqrt_segments: each segment but the last has at least √n operations", "[sqrt_segments][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const training = support::random_training(random, 20);
        auto const plan = sqrt_segments(training);
        auto const n = planning_graph(training).problem().vertex_count();
        RC_ASSERT(plan.segments * (plan.segments - 1) <= n + plan.segments);
        RC_ASSERT(plan.formula.has_value() == (training.made_by != convention::joint));
    }));
}
