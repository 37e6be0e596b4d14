// Covers planner/detail/annealing/move_rules.hpp, planner/detail/annealing/neighbourhood.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/planner/detail/annealing/move_rules.hpp>
#include <repebble/planner/detail/annealing/neighbourhood.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/random_full_dataflow.hpp"

using namespace repebble;

namespace {

/// A dataflow without views: a view keeps the old value of an owner that is recomputed, which the sequence does not
/// model.
auto viewless_flow(support::split_mix& random, support::dataflow_shape shape) -> dataflow {
    shape.view_percent = 0;
    for (;;) {
        auto flow = support::random_dataflow(random, shape);
        bool views = false;
        for (std::size_t x = 0; x < flow.value_count(); ++x) views = views || flow.is_view(x);
        if (!views) return flow;
    }
}

void agrees_with_replay(dataflow const& flow, detail::mutable_sequence const& s, bytes budget) {
    auto const cost = replay(flow, make_schedule(flow, s.operations()));
    CHECK(s.time() == cost.time);
    CHECK(s.peak() == cost.peak);
    bytes beyond = 0;
    for (auto i = s.first(); i != s.none; i = s.next(i)) beyond += std::max<bytes>(0, s.resident_bytes(i) - budget);
    CHECK(s.excess() == beyond);
}

}  // namespace

TEST_CASE("mutable_sequence: a value that is discarded and recomputed is not resident in between") {
    // 0 makes 5 bytes that 1 and 3 read; 2 reads what 1 makes, and so does 3.
    dataflow_builder builder;
    for (int v = 0; v < 4; ++v) builder.add_operation(v == 0 ? 7 : 1);
    auto const x = builder.add_value(0, 5);
    auto const y = builder.add_value(1, 1);
    auto const z = builder.add_value(2, 4);
    builder.add_read(1, x);
    builder.add_read(2, y);
    builder.add_read(3, x);
    builder.add_read(3, z);
    auto const flow = std::move(builder).build();
    auto const model = detail::make_planning_model(flow);
    detail::mutable_sequence s(model, model.order);
    CHECK(s.time() == 10);
    CHECK(s.peak() == 10);  // x, y and z while 2 runs
    auto last = s.first();
    while (s.next(last) != s.none) last = s.next(last);
    auto const again = s.insert(0, last);
    CHECK(s.operations() == std::vector<operation_index>{0, 1, 2, 0, 3});
    CHECK(s.time() == 17);
    CHECK(s.peak() == 9);
    CHECK(s.is_removable(again));
    CHECK_FALSE(s.is_removable(last));
    s.remove(again);
    CHECK(s.operations() == std::vector<operation_index>{0, 1, 2, 3});
    CHECK(s.peak() == 10);
}

TEST_CASE("mutable_sequence: the only computation of a result is not removable") {
    // 0 and 2 make what 3 reads, 0 and the sink 1 make y.
    dataflow_builder builder;
    for (int v = 0; v < 4; ++v) builder.add_operation(1);
    auto const x = builder.add_value(0, 5);
    auto const y = builder.add_value(0, 1);
    builder.add_producer(1, y);
    builder.add_producer(2, x);
    builder.add_read(3, x);
    auto const flow = std::move(builder).build();
    auto const model = detail::make_planning_model(flow);
    detail::mutable_sequence s(model, std::vector<operation_index>{2, 3, 0});
    auto const last = s.next(s.next(s.first()));
    CHECK_FALSE(s.is_removable(last));
    s.insert(1, s.none);
    CHECK(s.is_removable(last));
}

TEST_CASE("neighbourhood: every sequence is legal and has the time and peak of its replay") {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        INFO("seed " << seed);
        support::split_mix random(seed);
        auto const flow = viewless_flow(random, {.operations = 2 + seed % 14});
        auto const model = detail::make_planning_model(flow);
        bytes const budget = replay(flow, make_schedule(flow)).peak / 2;
        detail::move_rules const rules{.with_inputs = seed % 2 == 0, .brings_forward = seed % 4 == 0};
        detail::neighbourhood moves(model, model.order, budget, seed, rules);
        for (int k = 0; k < 300; ++k) {
            auto const before = moves.now().operations();
            auto const most = k % 5 < 3 ? std::numeric_limits<double>::infinity()
                                        : static_cast<double>(moves.now().time() + k % 5 - 3);
            bool const changed = moves.make(k % 3 == 0, most);
            CHECK(static_cast<double>(moves.now().time()) <= most);
            if (!changed) CHECK(moves.now().operations() == before);
            if (k % 10 == 0) agrees_with_replay(flow, moves.now(), budget);
            if (k % 2 == 0 || moves.now().size() > 60) {
                moves.undo();
                CHECK(moves.now().operations() == before);
            }
        }
        agrees_with_replay(flow, moves.now(), budget);
    }
}

TEST_CASE("neighbourhood: an operation that may run once is never recomputed") {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        support::split_mix random(seed);
        auto const flow = viewless_flow(random, {.operations = 12, .run_once_percent = 50});
        auto const model = detail::make_planning_model(flow);
        detail::neighbourhood moves(model, model.order, 0, seed, {.brings_forward = seed % 2 == 0});
        for (int k = 0; k < 200; ++k) moves.make(true, std::numeric_limits<double>::infinity());
        std::vector<int> runs(flow.operation_count(), 0);
        for (auto const v : moves.now().operations()) ++runs[v];
        for (operation_index v = 0; v < flow.operation_count(); ++v) {
            CHECK(runs[v] >= 0);
            if (!flow.recomputable(v)) CHECK(runs[v] <= 1);
        }
    }
}

TEST_CASE("neighbourhood: where producers lead in a circle, what is read is computed before after each move") {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        support::split_mix random(seed);
        auto const flow = support::random_full_dataflow(random, {.operations = 50,
                                                                 .view_percent = 0,
                                                                 .alternative_percent = 50,
                                                                 .circle_percent = 90,
                                                                 .mutation_percent = 0,
                                                                 .overwrite_percent = 0});
        auto const model = detail::make_planning_model(flow);
        detail::neighbourhood moves(model, model.order, 0, seed, {.brings_forward = true});
        for (int k = 0; k < 2000; ++k) {
            moves.make(k % 2 == 0, std::numeric_limits<double>::infinity());
            if (moves.now().size() > 400) moves.undo();
        }
        std::vector<bool> made(model.value_count(), false);
        for (auto const v : moves.now().operations()) {
            for (auto const x : model.reads[v]) CHECK(made[x]);
            for (auto const x : model.writes[v]) made[x] = true;
        }
    }
}

TEST_CASE("neighbourhood: without inputs a move recomputes one operation only") {
    auto const most_more = [](bool with_inputs) {
        std::size_t most = 0;
        for (std::uint64_t seed = 0; seed < 10; ++seed) {
            support::split_mix random(seed);
            auto const flow = viewless_flow(random, {.operations = 14});
            auto const model = detail::make_planning_model(flow);
            detail::neighbourhood moves(model, model.order, 0, seed, {.with_inputs = with_inputs});
            for (int k = 0; k < 200; ++k) {
                auto const before = moves.now().size();
                if (!moves.make(true, std::numeric_limits<double>::infinity())) continue;
                if (moves.now().size() > before) most = std::max(most, moves.now().size() - before);
                if (moves.now().size() > 60) moves.undo();
            }
        }
        return most;
    };
    CHECK(most_more(false) == 1);
    CHECK(most_more(true) > 1);
}

TEST_CASE("neighbourhood: a recomputation is brought forward instead of repeated") {
    // 0 and 1 make what 2 reads; later, 5 reads that of 2, 6 that of 0, and 7 that of 1.
    dataflow_builder builder;
    std::vector<value_index> made;
    for (operation_index v = 0; v < 8; ++v) {
        made.push_back(builder.add_value(builder.add_operation(1), 5));
        if (v > 1) builder.add_read(v, made[v - 1]);
    }
    builder.add_read(2, made[0]);
    for (operation_index v = 0; v < 3; ++v) builder.add_read(v == 2 ? 5 : 6 + v, made[v]);
    auto const flow = std::move(builder).build();
    auto const model = detail::make_planning_model(flow);
    std::vector<operation_index> const start{0, 1, 2, 3, 4, 5, 0, 6, 1, 7}, forward{0, 1, 2, 3, 4, 0, 1, 2, 5, 6, 7};
    auto const reaches_it = [&](bool brings_forward) {
        detail::neighbourhood moves(model, start, 0, 1, {.brings_forward = brings_forward});
        bool reached = false;
        for (int k = 0; k < 2000; ++k) {
            moves.make(k % 2 == 0, std::numeric_limits<double>::infinity());
            reached = reached || moves.now().operations() == forward;
            moves.undo();
            CHECK(moves.now().operations() == start);
        }
        return reached;
    };
    CHECK(reaches_it(true));
    CHECK_FALSE(reaches_it(false));
}

TEST_CASE("neighbourhood: a tabu operation runs no more often, and may run less often") {
    std::size_t less = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        INFO("seed " << seed);
        support::split_mix random(seed);
        auto const flow = viewless_flow(random, {.operations = 12});
        auto const model = detail::make_planning_model(flow);
        detail::neighbourhood first(model, model.order, 0, seed);
        for (int k = 0; k < 100; ++k) first.make(true, std::numeric_limits<double>::infinity());
        auto const start = first.now().operations();
        auto const runs = [&](auto const& computations, operation_index v) {
            return static_cast<std::size_t>(std::ranges::count(computations, v));
        };
        auto const tabu = *std::ranges::max_element(model.order, {}, [&](auto const v) { return runs(start, v); });
        detail::neighbourhood moves(model, start, 0, seed, {.brings_forward = seed % 2 == 0, .tabu = tabu});
        auto left = runs(start, tabu);
        bool others_more = false;
        for (int k = 0; k < 200; ++k) {
            auto const before = moves.now().size();
            moves.make(k % 4 > 0, std::numeric_limits<double>::infinity());
            auto const now = runs(moves.now().operations(), tabu);
            CHECK(now <= left);
            left = now;
            others_more = others_more || moves.now().size() > before;
        }
        CHECK(others_more);
        if (left < runs(start, tabu)) ++less;
    }
    CHECK(less > 0);
}
