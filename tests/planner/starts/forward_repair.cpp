// Covers planner/detail/model/planning_model.hpp, planner/detail/starts/forward_repair.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>
#include <repebble/planner/detail/model/sequence_loads.hpp>
#include <repebble/planner/detail/starts/forward_repair.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"

using namespace repebble;

namespace {

constexpr auto still_goes_on = [] { return false; };

/// 0 -> 1 -> 2 -> 3, and 3 reads 0, too: of 2 bytes, that lie beside 1 and 2, of 1 byte each, and a workspace.
auto skipping_chain() -> dataflow {
    dataflow_builder builder;
    std::vector<value_index> of;
    for (operation_index v = 0; v < 4; ++v) {
        builder.add_operation(1, v == 2 ? 1 : 0);
        of.push_back(builder.add_value(v, v == 0 ? 2 : 1));
        if (v > 0) builder.add_read(v, of[v - 1]);
    }
    builder.add_read(3, of[0]);
    return std::move(builder).build();
}

/// Checks that the sequence is legal, runs all operations, and is within the budget.
void check_sequence(dataflow const& flow, std::vector<operation_index> const& computations, bytes budget) {
    auto const cost = replay(flow, make_schedule(flow, computations));
    CHECK(cost.peak <= budget);
    for (operation_index v = 0; v < flow.operation_count(); ++v) CHECK(std::ranges::count(computations, v) > 0);
}

}  // namespace

TEST_CASE("forward_repair: the value in the way is discarded, and recomputed for its reader") {
    auto const flow = skipping_chain();
    auto const m = detail::make_planning_model(flow);
    CHECK(detail::sequence_loads(m, m.order) == std::vector<bytes>{2, 3, 5, 4});
    std::size_t rounds = 5;
    auto const swept = detail::forward_repair(m, m.order, 4, 100, rounds, still_goes_on);
    REQUIRE(swept);
    CHECK(*swept == std::vector<operation_index>{0, 1, 2, 0, 3});
    CHECK(rounds == 4);
    CHECK_FALSE(detail::forward_repair(m, m.order, 3, 100, rounds, still_goes_on));  // 3 alone needs 4
    CHECK_FALSE(detail::forward_repair(m, m.order, 4, 4, rounds, still_goes_on));
    rounds = 0;
    CHECK_FALSE(detail::forward_repair(m, m.order, 4, 100, rounds, still_goes_on));
    CHECK(detail::forward_repair(m, m.order, 5, 100, rounds, still_goes_on) == m.order);
}

TEST_CASE("forward_repair: a sequence may end with recomputations that no operation reads") {
    dataflow_builder builder;
    for (int v = 0; v < 4; ++v) builder.add_operation(1);
    auto const a = builder.add_value(0, 2), b = builder.add_value(1, 2);
    builder.add_value(2, 1);
    builder.add_value(3, 1);
    builder.add_read(2, a);
    builder.add_read(3, b);
    auto const m = detail::make_planning_model(std::move(builder).build());
    std::vector<operation_index> const tail{0, 2, 1, 3, 0, 3};
    CHECK(detail::sequence_loads(m, tail) == std::vector<bytes>{2, 3, 2, 3, 4, 3});
    std::size_t rounds = 5;
    CHECK_FALSE(detail::forward_repair(m, tail, 3, 100, rounds, still_goes_on));
}

TEST_CASE("forward_repair: of any start a legal sequence within the budget that runs all operations") {
    std::size_t found = 0, tried = 0, again = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        INFO("seed " << seed);
        support::split_mix random(seed);
        auto const flow = support::random_dataflow(
            random, {.operations = 5 + seed % 11, .view_percent = 0, .alternative_percent = 0, .run_once_percent = 5});
        auto const m = detail::make_planning_model(flow);
        if (support::has_views(flow) || !detail::can_repair_forward(m)) continue;
        auto const most = std::ranges::max(detail::sequence_loads(m, m.order));
        for (bytes const budget : {most, most * 5 / 6, most * 2 / 3}) {
            for (auto const& start : {m.order, support::random_compute_order(random, flow, 3)}) {
                ++tried;
                std::size_t rounds = 20;
                auto const swept = detail::forward_repair(m, start, budget, 1000, rounds, still_goes_on);
                if (!swept) continue;
                ++found;
                if (swept->size() > flow.operation_count()) ++again;
                check_sequence(flow, *swept, budget);
            }
            std::size_t offers = 0, seen = 0;
            detail::forward_repair_starts(
                m, budget, std::vector{m.order.back()}, 8,
                [&](std::vector<operation_index> const& computations) {
                    ++seen;
                    check_sequence(flow, computations, std::numeric_limits<bytes>::max());
                },
                [&](std::vector<operation_index> const& computations) {
                    ++offers;
                    check_sequence(flow, computations, budget);
                },
                still_goes_on);
            CHECK(seen <= 8);
            CHECK(offers <= 2 * seen);  // the plain sequence and the repaired one
        }
    }
    CHECK(tried > 100);
    CHECK(found > 30);
    CHECK(again > 10);
}
