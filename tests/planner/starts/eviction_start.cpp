// Covers planner/detail/starts/eviction_start.hpp, planner/detail/model/sequence_loads.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/planner/detail/model/sequence_loads.hpp>
#include <repebble/planner/detail/starts/eviction_start.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"

using namespace repebble;

namespace {

/// A dataflow without views, whose owners' old values the model does not know.
auto without_views(std::uint64_t seed, std::size_t operations) -> dataflow {
    support::split_mix random(seed);
    for (;;) {
        auto flow = support::random_dataflow(random, {.operations = operations, .view_percent = 0});
        if (!support::has_views(flow)) return flow;
    }
}

}  // namespace

TEST_CASE("sequence_loads: equal the replay's resident bytes and time") {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        INFO("seed " << seed);
        auto const flow = without_views(seed, 2 + seed % 12);
        support::split_mix random(seed);
        auto const order = support::random_compute_order(random, flow, 6);
        auto const model = detail::make_planning_model(flow);
        auto const schedule = make_schedule(flow, order);
        auto const cost = replay(flow, schedule, {.profile = true});
        CHECK(detail::sequence_time(model, order) == cost.time);
        std::vector<bytes> profile;
        for (std::size_t k = 0; k < schedule.steps.size(); ++k)
            if (schedule.steps[k].what == action::compute) profile.push_back(cost.profile[k]);
        CHECK(detail::sequence_loads(model, order) == profile);
    }
}

TEST_CASE("eviction_start: legal and within the budget, or nothing") {
    std::size_t found = 0, again = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        INFO("seed " << seed);
        auto const flow = without_views(seed, 5 + seed % 40);
        auto const model = detail::make_planning_model(flow);
        auto const most = replay(flow, make_schedule(flow)).peak;
        for (bytes const budget : {std::numeric_limits<bytes>::max(), most, most * 3 / 4, most / 2, bytes{0}}) {
            auto const sequence = detail::best_eviction_start(model, budget, 10'000, [](bool) { return false; });
            if (!sequence) continue;
            ++found;
            auto const cost = replay(flow, make_schedule(flow, *sequence));
            CHECK(cost.peak <= budget);
            again += cost.recomputations > 0 ? 1U : 0U;
        }
    }
    CHECK(found > 120);
    CHECK(again > 20);
}

TEST_CASE("eviction_start: ends when stop returns true") {
    auto const flow = without_views(1, 40);
    auto const model = detail::make_planning_model(flow);
    CHECK_FALSE(detail::best_eviction_start(model, 1'000'000, 10'000, [](bool) { return true; }));
    CHECK(detail::best_eviction_start(model, 1'000'000, 10'000, [](bool again) { return again; }));
}
