// Covers planner/detail/swapping/exact_swaps.hpp, planner/detail/swapping/swap_gaps.hpp.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>
#include <repebble/planner/detail/swapping/exact_swaps.hpp>
#include <repebble/planner/detail/swapping/swap_gaps.hpp>

#include "support/brute_swapping.hpp"
#include "support/catch.hpp"
#include "planner/cuts.hpp"
#include "support/generators.hpp"

using namespace repebble;
using support::between;

TEST_CASE("exact_swaps: no list is faster, over a link of one lane and of two") {
    std::size_t compared = 0;
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
        support::split_mix random(seed);
        auto const flow = support::random_without_views(random, 4 + seed % 2, 0);
        auto const m = detail::make_planning_model(flow);
        host_link const via{.size = 1, .time = between(random, 1, 2), .half_duplex = seed % 4 != 0};
        auto const budget = between(random, detail::floor_of(m).size, replay(flow, make_schedule(flow)).peak);
        auto const host = seed % 3 == 0 ? std::nullopt : std::optional(between(random, 1, budget / 2 + 1));
        CAPTURE(seed, budget, via.half_duplex, host.value_or(-1));
        detail::swap_gaps const problem(m, via, budget, host, std::vector<bool>(m.value_count(), true), 0);
        auto const found = detail::exact_swaps(problem).search({}, 300'000, [] { return false; });
        if (!found.bound) continue;
        ++compared;
        CHECK_FALSE(
            support::brute_swapping::best(flow, via, {.budget = budget, .host_budget = host, .below = *found.bound}));
    }
    CHECK(compared > 100);
}

TEST_CASE("exact_swaps: on one lane a copy out goes before a copy in, though its value stays until later") {
    dataflow_builder builder;
    auto const once = [&](std::int64_t time, bytes workspace) { return builder.add_operation(time, workspace, false); };
    auto const make_b = once(1, 0), make_a = once(1, 0), beside_a = once(4, 6), both = once(1, 0), wide = once(1, 7),
               last = once(1, 0);
    auto const b = builder.add_value(make_b, 2), made = builder.add_value(make_b, 0);
    auto const a = builder.add_value(make_a, 2);
    auto const after = builder.add_value(beside_a, 0), c = builder.add_value(both, 1), d = builder.add_value(wide, 0);
    builder.add_value(last, 0);
    for (auto const x : {made, a}) builder.add_read(beside_a, x);
    for (auto const x : {after, a, b}) builder.add_read(both, x);
    builder.add_read(wide, c);
    for (auto const x : {a, d}) builder.add_read(last, x);
    auto const flow = std::move(builder).build();
    auto const m = detail::make_planning_model(flow);
    auto const of = [&](bool half_duplex) {
        detail::swap_gaps const problem(m, {.size = 1, .time = 1, .half_duplex = half_duplex}, 8, std::nullopt,
                                        std::vector<bool>(m.value_count(), true), 0);
        return detail::exact_swaps(problem).search({}, 300'000, [] { return false; });
    };
    // Out b 1-3, beside_a 3-7 and out a 3-5; in b 7-9, both 9-10, wide 10-11, in a 11-13, last 13-14.
    CHECK(of(false).bound == 14);
    CHECK(of(true).bound == 14);
    CHECK(of(true).list);
}
