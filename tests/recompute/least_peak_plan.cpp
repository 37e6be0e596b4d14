// Covers recompute/least_peak_plan.hpp.
#include <cstdint>

#include <rapidcheck.h>

#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/recompute/least_peak_plan.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/random_full_dataflow.hpp"

using namespace repebble;

TEST_CASE("the plan in the order of least peak is legal, computes everything once and peaks nowhere above keep_all's",
          "[least_peak_plan][property]") {
    std::size_t below = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const flow = support::random_full_dataflow(random, {.operations = 12, .alternative_percent = 0});
        auto const plan = least_peak_plan(flow);
        auto const all = keep_all(flow);
        RC_ASSERT(plan.cost == replay(flow, plan.schedule));
        RC_ASSERT(plan.cost.recomputations == 0U);
        RC_ASSERT((plan.peak_bound <= plan.cost.peak && plan.cost.peak <= all.cost.peak));
        below += plan.cost.peak < all.cost.peak ? 1U : 0U;
    }));
    CHECK(below > 5);
}
