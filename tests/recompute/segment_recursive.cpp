// Covers recompute/keep_all.hpp, recompute/mirror.hpp, recompute/segment_recursive.hpp.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/recompute/mirror.hpp>
#include <repebble/recompute/segment_recursive.hpp>

#include "recompute/random_training.hpp"
#include "support/brute_force.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"

using namespace repebble;

namespace {

auto recursion_chain(std::size_t n) {
    return make_training_graph(support::chain(n), weights{unit_weight{}, unit_weight{}}, needs_inputs_only);
}

}  // namespace

TEST_CASE("recursion in halves: a chain of 2^j takes j + 2 bytes and j - 2 more half passes",
          "[segment_recursive][paper]") {
    for (unsigned j = 1; j <= 12; ++j) {
        std::size_t const n = std::size_t{1} << j;
        auto const plan = segment_recursive(recursion_chain(n));
        CHECK(plan.cost.peak == static_cast<bytes>(j + 2));
        auto const half = static_cast<std::int64_t>(n / 2);
        CHECK(plan.cost.overhead == half * (static_cast<std::int64_t>(j) - 2) + 1);
    }
    CHECK(segment_recursive(recursion_chain(1)).cost.peak == 2);
}

TEST_CASE("recursion in k + 1 parts: equation (3) and the two gradients", "[segment_recursive][paper][long]") {
    for (std::size_t const k : {1U, 2U, 4U, 8U})
        for (std::size_t n = 1; n <= 3000; n += 1 + n / 3) {
            auto const kept = static_cast<double>(k);
            auto const plan = segment_recursive(recursion_chain(n), {.kept = k});
            double const levels = std::log(static_cast<double>(n)) / std::log(kept + 1);
            CAPTURE(k, n);
            CHECK(static_cast<double>(plan.cost.peak) <= kept * std::ceil(levels - 1e-9) + 2);
        }
}

TEST_CASE("recursion keeps results of no bytes", "[segment_recursive][long]") {
    std::size_t const n = 20'000;
    for (bytes const heavy : {0, 5}) {
        std::vector<bytes> sizes(n, 0);
        sizes[n / 3] = heavy;
        support::weighted_dag const g{support::chain(n), std::vector<std::int64_t>(n, 1), sizes,
                                      std::vector<char>(n, 0)};
        auto const plan = segment_recursive(g.training(needs_inputs_only));
        CHECK(plan.cost.recomputations <= 1);
    }
    std::size_t const more_than_there_are = std::numeric_limits<std::size_t>::max();
    CHECK(segment_recursive(recursion_chain(10), {.kept = more_than_there_are}).cost.overhead <= 1);
}

TEST_CASE("one level of recursion is segments", "[segment_recursive]") {
    auto const plan = segment_recursive(recursion_chain(100), {.kept = 9, .levels = 1});
    CHECK(plan.cost.overhead == 81);
    CHECK(plan.cost.peak == 9 + 10 + 1);
    CHECK(segment_recursive(recursion_chain(100), {.levels = 0}) == keep_all(recursion_chain(100)));
    CHECK_THROWS_AS(segment_recursive(recursion_chain(4), {.kept = 0}), precondition_violated);
}

TEST_CASE("recursion of any graph is legal, and mirror of its counts gives the plan", "[segment_recursive][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const training = support::random_training(random, 14);
        recursion_options options{.kept = 1 + support::below(random, 3)};
        if (support::chance(random, 50)) options.candidates.where = cut_points::narrow_places;
        if (support::chance(random, 30)) options.order = order_rule::depth_first;
        auto const plan = segment_recursive(training, options);
        RC_ASSERT(plan.cost == replay(training.flow, plan.schedule));
        auto const counts = find_recursive_counts(training, options);
        RC_ASSERT(mirror(
                      training, [&](operation_index v) { return counts[v]; }, options.order) == plan);
        options.levels = 0;
        RC_ASSERT(segment_recursive(training, options).cost.recomputations == 0U);
    }));
}
