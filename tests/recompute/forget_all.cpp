// Covers recompute/forget_all.hpp, recompute/keep_all.hpp.
#include <cstddef>
#include <cstdint>
#include <vector>

#include <rapidcheck.h>

#include <repebble/recompute/forget_all.hpp>
#include <repebble/recompute/keep_all.hpp>

#include "recompute/random_training.hpp"
#include "support/brute_force.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/throws.hpp"

using namespace repebble;
using support::throws;

namespace {

auto chain_of(std::size_t n) -> training_graph {
    return make_training_graph(support::chain(n), weights{unit_weight{}, unit_weight{}});
}
auto computations(recompute_plan<> const& plan) -> std::size_t {
    std::size_t count = 0;
    for (auto const& s : plan.schedule.steps) count += s.what == action::compute ? 1 : 0;
    return count;
}

}  // namespace

TEST_CASE("bulatov: without checkpoints any chain takes 4 units and n (n + 5) / 2 - 1 computations",
          "[forget_all][paper]") {
    for (std::size_t const n : {2U, 3U, 10U, 40U}) {
        auto const plan = forget_all(chain_of(n));
        CHECK(plan.cost.peak == 4);
        CHECK(computations(plan) == n * (n + 5) / 2 - 1);
    }
}

TEST_CASE("forget_all throws beyond its limit of computations, and not at it", "[forget_all]") {
    auto const training = chain_of(10);
    auto const needed = computations(forget_all(training));
    CHECK(computations(forget_all(training, {.work = needed})) == needed);
    auto const limit = std::to_string(needed - 1);
    CHECK(throws<limit_reached>([&] { return forget_all(training, {.work = needed - 1}); }, {"forget_all", limit}));
    CHECK_THROWS_AS(forget_all(training, {.work = 0}), limit_reached);
}

TEST_CASE("operations that may run only once are kept, all others discarded", "[forget_all]") {
    support::weighted_dag const g{support::chain(6), {1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1}, {0, 0, 1, 0, 0, 0}};
    auto const plan = forget_all(g.training(gradient_dependencies{}));
    std::vector<std::size_t> runs(12, 0);
    for (auto const& s : plan.schedule.steps)
        if (s.what == action::compute) ++runs[s.vertex];
    CHECK(runs[2] == 1);
    CHECK(runs[0] > 1);
    CHECK(runs[3] > 1);
}

TEST_CASE("where every operation may run only once, forget_all has no overhead", "[forget_all][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto g = support::random_weighted_dag(random, 10);
        g.pinned.assign(g.size(), 1);
        for (auto const how : support::built_conventions)
            RC_ASSERT(forget_all(g.training(gradient_dependencies{}, how)).cost.overhead == 0);
    }));
}

TEST_CASE("a forward result that no gradient reads is computed once", "[forget_all]") {
    auto const training = make_training_graph(support::adjacency{{1, 2}, {}, {}}, weights{unit_weight{}, unit_weight{}},
                                              gradient_dependencies{never{}, never{}}, convention::op_backward);
    auto const plan = forget_all(training);
    std::vector<std::size_t> runs(6, 0);
    for (auto const& s : plan.schedule.steps)
        if (s.what == action::compute) ++runs[s.vertex];
    CHECK((runs[1] == 1 && runs[2] == 1));
}
