// Covers planner/detail/model/planning_model.hpp, planner/detail/starts/forward_repair.hpp.
#include <algorithm>
#include <cstddef>
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

constexpr auto go_on = [] { return false; };
constexpr auto nobody = [](std::vector<operation_index> const&) {};

/// Four parts of 2 bytes are stacked into 3; `peak` leaves room for 3 bytes within 13; then the stack is read, and at
/// last z, of 3 bytes, too. To make the stack again takes 5 time units, and 11 bytes; to make z again takes `slow`.
struct stacked {
    operation_index stack, z, peak;
    dataflow flow;
};
auto make_stacked(std::int64_t slow) -> stacked {
    dataflow_builder builder;
    std::vector<value_index> parts;
    for (int k = 0; k < 4; ++k) parts.push_back(builder.add_value(builder.add_operation(1), 2));
    auto const stack = builder.add_operation(1), z = builder.add_operation(slow), peak = builder.add_operation(1, 10),
               reads_stack = builder.add_operation(1), reads_z = builder.add_operation(1);
    for (auto const x : parts) builder.add_read(stack, x);
    auto const s = builder.add_value(stack, 3), of_z = builder.add_value(z, 3);
    auto const first = builder.add_value(peak, 0), second = builder.add_value(reads_stack, 0);
    builder.add_read(reads_stack, first);
    builder.add_read(reads_stack, s);
    builder.add_read(reads_z, second);
    builder.add_read(reads_z, of_z);
    for (auto const v : {stack, z}) {
        auto const told = builder.add_value(v, 0);  // so that both come before the peak
        builder.add_read(peak, told);
    }
    return {stack, z, peak, std::move(builder).build()};
}

}  // namespace

TEST_CASE("repair_by_forcing: an output of a recomputation that exceeds the budget is kept at the cut instead") {
    auto const net = make_stacked(6);
    auto const m = detail::make_planning_model(net.flow);
    detail::first_run_cut const cut(m, net.peak);
    REQUIRE(cut.capacity(13) == 3);
    std::vector<operation_index> plain;
    std::size_t rounds = 5;
    auto const repaired = detail::repair_by_forcing(
        cut, 13, 13, 100, rounds, [&](std::vector<operation_index> const& computations) { plain = computations; },
        go_on);
    // z takes longer than the stack, so the stack is recomputed first.
    CHECK(detail::sequence_time(m, plain) == m.time_once + 5);
    CHECK(std::ranges::max(detail::sequence_loads(m, plain)) == 14);
    CHECK(detail::violated_recomputation(m, plain, 13) == net.stack);
    REQUIRE(repaired);
    CHECK(detail::sequence_time(m, *repaired) == m.time_once + 6);
    CHECK(std::ranges::max(detail::sequence_loads(m, *repaired)) == 13);
    CHECK_FALSE(detail::violated_recomputation(m, *repaired, 13));
    CHECK(rounds == 3);
}

TEST_CASE("repair_by_forcing: ends with its rounds, and leaves a sequence that fits as it is") {
    auto const net = make_stacked(6);
    auto const m = detail::make_planning_model(net.flow);
    detail::first_run_cut const cut(m, net.peak);
    std::size_t rounds = 1;
    auto const once = detail::repair_by_forcing(cut, 13, 13, 100, rounds, nobody, go_on);
    REQUIRE(once);
    CHECK(detail::sequence_time(m, *once) == m.time_once + 5);
    CHECK(rounds == 0);
    CHECK_FALSE(detail::repair_by_forcing(cut, 13, 13, 100, rounds, nobody, go_on));
    rounds = 5;
    CHECK_FALSE(detail::repair_by_forcing(cut, 13, 13, 100, rounds, nobody, [] { return true; }));
    CHECK_FALSE(detail::repair_by_forcing(cut, 13, 13, 5, rounds, nobody, go_on));  // computations

    auto const cheap = make_stacked(4);
    auto const other = detail::make_planning_model(cheap.flow);
    detail::first_run_cut const at(other, cheap.peak);
    rounds = 5;
    auto const fits = detail::repair_by_forcing(at, 13, 13, 100, rounds, nobody, go_on);
    REQUIRE(fits);
    CHECK(detail::sequence_time(other, *fits) == other.time_once + 4);
    CHECK(rounds == 4);
}

TEST_CASE("repair_by_forcing: legal on any graph, whatever is kept by decision") {
    std::size_t made = 0, repaired = 0;
    for (std::uint64_t seed = 0; seed < 120; ++seed) {
        INFO("seed " << seed);
        support::split_mix random(seed);
        auto const flow = support::random_dataflow(
            random, {.operations = 8 + seed % 14, .view_percent = 0, .alternative_percent = 0, .run_once_percent = 5});
        auto const m = detail::make_planning_model(flow);
        if (support::has_views(flow) || !detail::can_repair_forward(m)) continue;
        auto const budget = detail::floor_of(m).size + static_cast<bytes>(seed % 5);
        for (operation_index v = 0; v < m.operation_count(); ++v) {
            detail::first_run_cut const cut(m, v);
            std::size_t rounds = 12;
            auto const sequence = detail::repair_by_forcing(cut, budget, budget, 1000, rounds, nobody, go_on);
            if (!sequence) continue;
            ++made;
            if (rounds < 11) ++repaired;
            CHECK_NOTHROW(replay(flow, make_schedule(flow, *sequence)));
        }
    }
    CHECK(made > 200);
    CHECK(repaired > 10);
}
