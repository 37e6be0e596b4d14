// Covers pebbling/make_schedule.hpp, pebbling/replay.hpp.
#include <cstddef>
#include <cstdint>
#include <optional>

#include <rapidcheck.h>

#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/naive_replay.hpp"
#include "support/property.hpp"
#include "support/random_schedules.hpp"

using namespace repebble;
using support::below;
using support::split_mix;

namespace {

/// Both judges say the same of a schedule; returns whether it is legal.
auto agree(dataflow const& flow, schedule<> const& plan, std::vector<value_index> const& resident_at_end = {},
           std::int64_t time_per_byte = 0) -> bool {
    auto const expected = support::naive_replay(flow, plan, resident_at_end, time_per_byte);
    auto const [result, broken] = verify_schedule(flow, plan, {.profile = true, .resident_at_end = resident_at_end},
                                                  serial_clock{.time_per_byte = time_per_byte});
    RC_ASSERT((broken ? std::optional(broken->step) : std::nullopt) == expected.broken_step);
    RC_ASSERT(result.profile == expected.profile);
    RC_ASSERT(result.peak == expected.peak);
    RC_ASSERT(result.host_peak == expected.host_peak);
    RC_ASSERT(result.time == expected.time);
    RC_ASSERT(result.overhead == expected.overhead);
    RC_ASSERT(result.recomputations == expected.recomputations);
    return !broken;
}

}  // namespace

TEST_CASE("the judge and the naive replay agree on random schedules, most of them legal", "[property]") {
    std::size_t legal = 0;
    std::size_t all = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        split_mix random(seed);
        for (int i = 0; i < 20; ++i) {
            auto const flow = support::any_dataflow(random, 10);
            auto const plan = support::random_schedule(random, flow, below(random, 150));
            ++all;
            legal += agree(flow, plan, {}, support::between(random, 0, 2)) ? 1 : 0;
            if (flow.value_count() > 0)
                agree(flow, plan, {static_cast<value_index>(below(random, flow.value_count()))});
        }
    }));
    CHECK(2 * legal > all);
}

TEST_CASE("the judge and the naive replay agree on mutated schedules, most of them illegal", "[property]") {
    std::size_t legal = 0;
    std::size_t all = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        split_mix random(seed);
        for (int i = 0; i < 10; ++i) {
            auto const flow = support::any_dataflow(random, 10);
            auto const plan = support::random_schedule(random, flow, below(random, 60));
            for (int k = 0; k < 10; ++k, ++all)
                legal += agree(flow, support::mutated(random, plan, flow.operation_count())) ? 1 : 0;
        }
    }));
    CHECK(2 * legal < all);
    CHECK(20 * legal > all);
}
