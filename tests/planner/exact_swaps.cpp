// Covers planner/detail/swapping/exact_swaps.hpp, planner/detail/swapping/swap_gaps.hpp.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
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

TEST_CASE("exact_swaps: a step from a label that another step from it dominates is looked at, too") {
    dataflow_builder b;
    std::vector<operation_index> v;
    for (std::int64_t const time : {5, 3, 3, 0, 2, 0, 2}) v.push_back(b.add_operation(time));
    auto const begun = b.add_value(v[6], 1);
    b.add_value(v[4], 2);
    b.add_value(v[5], 1);
    auto const result = b.add_value(v[5], 2), third = b.add_value(v[5], 1);
    auto const read = b.add_value(v[1], 2);
    b.add_value(v[0], 2);
    b.add_value(v[0], 0);
    b.add_value(v[2], 1);
    b.add_value(v[2], 1);
    for (auto const& [reader, x] : {std::pair{v[0], result},
                                    {v[0], read},
                                    {v[1], third},
                                    {v[2], third},
                                    {v[3], begun},
                                    {v[4], begun},
                                    {v[5], begun}})
        b.add_read(reader, x);
    b.add_result(result);
    for (auto const& [before, after] : {std::pair{v[3], v[1]}, {v[3], v[4]}, {v[4], v[5]}})
        b.add_control_edge(before, after);
    for (auto const& [w, output, over] : {std::tuple{v[0], 0U, result},
                                          {v[0], 0U, read},
                                          {v[1], 0U, third},
                                          {v[2], 0U, third},
                                          {v[2], 1U, third},
                                          {v[4], 0U, begun},
                                          {v[5], 0U, begun},
                                          {v[5], 1U, begun},
                                          {v[5], 2U, begun}})
        b.allow_overwrite(w, output, over);
    auto const flow = std::move(b).build();
    auto const m = detail::make_planning_model(flow);
    detail::swap_gaps const problem(m, {.size = 5, .time = 4}, 4, std::nullopt,
                                    std::vector<bool>(m.value_count(), true), 0);
    auto const found = detail::exact_swaps(problem).search({}, 100'000'000, [] { return false; });
    REQUIRE(found.list);
    CHECK(found.bound == 17);
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
