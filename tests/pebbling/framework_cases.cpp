// Covers pebbling/detail/expand_views.hpp, orders/find_least_peak.hpp, pebbling/make_schedule.hpp,
// orders/find_optimal_pebbling.hpp, pebbling/pebble_game.hpp, graph/dataflow/detail/plain_dataflow.hpp: what the graphs
// of frameworks say, in small.
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/orders/find_least_peak.hpp>
#include <repebble/orders/find_optimal_pebbling.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>

#include "support/brute_pebbling.hpp"
#include "support/catch.hpp"
#include "support/ints.hpp"
#include "support/promises.hpp"
#include "support/throws.hpp"

using namespace repebble;
using support::ints;

namespace {

using order_of = std::vector<operation_index>;

/// The rule that the liveness schedule of an order breaks, if any.
auto broken_by(dataflow const& flow, order_of const& order) -> std::optional<rule> {
    auto const found = verify_schedule(flow, make_schedule(flow, order));
    return found.broken ? std::optional(found.broken->broken) : std::nullopt;
}

/// An operation of time 1 that reads these and writes one value.
auto add_step(dataflow_builder& builder, std::vector<value_index> const& reads, bytes size) -> value_index {
    auto const v = builder.add_operation(1);
    for (auto const x : reads) builder.add_read(v, x);
    return builder.add_value(v, size);
}

/// Four layers with activations of 10 bytes, whose four weight gradients have 100 bytes each.
auto joint_graph(bool gradients_are_results) -> dataflow {
    dataflow_builder builder;
    std::vector<value_index> activations{builder.add_value(builder.add_input(), 10)};
    for (int layer = 0; layer < 4; ++layer) activations.push_back(add_step(builder, {activations.back()}, 10));
    auto gradient = add_step(builder, {activations.back()}, 10);
    for (std::size_t layer = 4; layer-- > 0;) {
        auto const of_weights = add_step(builder, {activations[layer], gradient}, 100);
        if (gradients_are_results) builder.add_result(of_weights);
        gradient = add_step(builder, {gradient}, 10);
    }
    return std::move(builder).build();
}

/// s is read by `reader`, and written over by `writer`, whose output is read at the end with what the reader made.
struct statistic {
    dataflow flow;
    operation_index input = 0, reader = 0, writer = 0, last = 0;
};
auto running_statistic() -> statistic {
    statistic made;
    dataflow_builder builder;
    made.input = builder.add_input();
    auto const s = builder.add_value(made.input, 8);
    made.writer = builder.add_operation(1);
    made.reader = builder.add_operation(1);
    builder.add_read(made.writer, s);
    builder.add_read(made.reader, s);
    auto const updated = builder.add_value(made.writer, 8), x = builder.add_value(made.reader, 2);
    builder.add_mutation(made.writer, 0, s);
    builder.add_result(updated);
    made.last = builder.add_operation(1);
    builder.add_read(made.last, x);
    builder.add_value(made.last, 1);
    made.flow = std::move(builder).build();
    return made;
}

}  // namespace

TEST_CASE("four weight gradients of 100 bytes that are results need 420, and 120 where they may go", "[long]") {
    auto const flow = joint_graph(true);
    auto const peak = find_least_peak(flow);
    CHECK((peak.lower == 420 && peak.upper == 420));
    CHECK(support::brute_pebbling::least_peak(flow, 419, 420) == 420);
    auto const none = find_optimal_pebbling(flow, 419);
    CHECK((none.proven && !none.schedule));
    CHECK(find_optimal_pebbling(flow, 420).schedule);
    auto const none_stays = joint_graph(false);
    CHECK(find_least_peak(none_stays).lower == support::brute_pebbling::least_peak(none_stays, 119, 120));
    CHECK(find_least_peak(none_stays).upper == 120);
}

TEST_CASE("a hidden state that is read on and returned stays to the end") {
    dataflow_builder builder;
    auto const h = add_step(builder, {}, 8), next = add_step(builder, {h}, 2);
    add_step(builder, {next}, 2);
    builder.add_result(h);
    auto const flow = std::move(builder).build();
    auto made = make_schedule(flow);
    CHECK(replay(flow, made).peak == 12);
    CHECK(find_least_peak(flow).lower == 10);  // it is computed again at the end
    made.steps.push_back({.what = action::discard, .vertex = 0});
    auto const found = verify_schedule(flow, made);
    REQUIRE(found.broken);
    CHECK(found.broken->broken == rule::complete);
    CHECK(found.broken->message.find("its value is a result and not resident at the end") != std::string::npos);
}

TEST_CASE("a returned view holds the storage of its owner") {
    dataflow_builder builder;
    auto const x = add_step(builder, {}, 8);
    auto const look = builder.add_operation(0);
    builder.add_read(look, x);
    builder.add_result(builder.add_view(look, std::array{x}));
    add_step(builder, {}, 3);
    auto const flow = std::move(builder).build();
    CHECK(replay(flow, make_schedule(flow)).peak == 11);
    // In the other order the second value is gone before.
    CHECK(replay(flow, make_schedule(flow, order_of{2, 0, look})).peak == 8);
    CHECK(replay(flow, find_least_peak(flow).schedule).peak == 8);
    CHECK(find_optimal_pebbling(flow, 7).none_exists());
}

TEST_CASE("a result is not written over, though its operation may, and its last reader runs") {
    dataflow_builder builder;
    auto const x = add_step(builder, {}, 8), y = add_step(builder, {x}, 8);
    builder.allow_overwrite(1, 0, x);
    builder.add_result(y);
    auto const without = dataflow_builder(builder).build();
    CHECK(replay(without, make_schedule(without)).peak == 8);
    builder.add_result(x);
    auto const flow = std::move(builder).build();
    CHECK(replay(flow, make_schedule(flow)).peak == 16);
    schedule_builder over(flow);
    over.compute(0);
    over.compute_in_place(1, 0, x);
    CHECK(verify_schedule(flow, std::move(over).finish()).broken->broken == rule::complete);
}

TEST_CASE("eight operations of 100 bytes in place need 100 bytes, and 200 where they may not") {
    for (bool const allowed : {true, false}) {
        dataflow_builder builder;
        auto x = add_step(builder, {}, 100);
        for (operation_index v = 1; v < 8; ++v) {
            auto const over = x;
            x = add_step(builder, {over}, 100);
            if (allowed) builder.allow_overwrite(v, 0, over);
        }
        auto const flow = std::move(builder).build();
        bytes const least = allowed ? 100 : 200;
        CHECK(replay(flow, make_schedule(flow)).peak == least);
        CHECK((find_least_peak(flow).lower == least && find_least_peak(flow).upper == least));
        auto const found = find_optimal_pebbling(flow, 150);
        CHECK((found.proven && found.schedule.has_value() == allowed));
    }
}

TEST_CASE("who needs the old running statistic reads it before it is overwritten") {
    auto const [flow, input, reader, writer, last] = running_statistic();
    CHECK(ints(flow.control_predecessors(writer)) == std::vector<int>{static_cast<int>(reader)});
    auto const cost = replay(flow, make_schedule(flow));
    CHECK(cost.peak == 11);  // 8 of the statistic, old and new, and what is read at the end
    CHECK(broken_by(flow, {input, writer, reader, last}) == rule::control_order);
    CHECK(broken_by(flow, {input, reader, writer, reader, last}) == rule::reads_resident);
    CHECK_FALSE(broken_by(flow, {input, reader, last, writer}));
    CHECK(replay(flow, make_schedule(flow, order_of{input, reader, writer, last})).peak == 11);
}

TEST_CASE("a smaller value that a mutation writes keeps the storage of the larger one") {
    dataflow_builder builder;
    auto const x = add_step(builder, {}, 8), y = add_step(builder, {x}, 2);
    builder.add_mutation(1, 0, x);
    add_step(builder, {y}, 1);
    auto const flow = std::move(builder).build();
    CHECK(replay(flow, make_schedule(flow)).peak == 9);
    CHECK((find_least_peak(flow).lower == 9 && find_least_peak(flow).upper == 9));
}

TEST_CASE("a value is mutated by a name among others only when those are gone or read, too") {
    dataflow_builder builder;
    auto const x = add_step(builder, {}, 8);
    auto const look = builder.add_operation(0);
    builder.add_read(look, x);
    auto const view = builder.add_view(look, std::array{x});
    auto const y = add_step(builder, {view}, 8);
    builder.add_mutation(2, 0, view);
    builder.add_result(y);
    auto const flow = std::move(builder).build();
    CHECK(replay(flow, make_schedule(flow)).peak == 8);
    schedule<> const alive{{{.vertex = 0}, {.vertex = look}, {.vertex = 2}}};
    CHECK(verify_schedule(flow, alive).broken->broken == rule::overwrites_last);
    auto const found = find_optimal_pebbling(flow, 8);
    REQUIRE(found.schedule);
    CHECK(support::schedule_fault(flow, *found.schedule, 8, 2).empty());
}

TEST_CASE("x times x has two operands and reads one value") {
    dataflow_builder builder;
    auto const x = add_step(builder, {}, 4);
    add_step(builder, {x, x}, 4);
    builder.allow_overwrite(1, 0, x);
    auto const flow = std::move(builder).build();
    CHECK(ints(flow.operands(1)) == std::vector<int>{0, 0});
    CHECK(ints(flow.reads(1)) == std::vector<int>{0});
    CHECK(replay(flow, make_schedule(flow)).peak == 4);
}

TEST_CASE("a control edge orders the first run only, and carries no bytes") {
    dataflow_builder builder;
    auto const x = add_step(builder, {}, 4), y = add_step(builder, {}, 3);
    builder.add_control_edge(0, 1);
    add_step(builder, {x, y}, 1);
    auto const flow = std::move(builder).build();
    CHECK(broken_by(flow, {1, 0, 2}) == rule::control_order);
    CHECK_FALSE(broken_by(flow, {0, 1, 2}));
    CHECK_FALSE(broken_by(flow, {0, 1, 0, 2}));  // 1 need not run again
    CHECK(find_least_peak(flow).lower == 8);
}

TEST_CASE("all inputs are there before one is let go") {
    dataflow_builder builder;
    auto const unread = builder.add_input(), second = builder.add_input();
    builder.add_value(unread, 5);
    auto const x = builder.add_value(second, 4);
    add_step(builder, {x}, 2);
    auto const flow = std::move(builder).build();
    CHECK(replay(flow, make_schedule(flow)).peak == 9);
    CHECK((find_least_peak(flow).lower == 9 && find_least_peak(flow).upper == 9));
    CHECK(broken_by(flow, {second, 2}) == std::nullopt);  // liveness adds the other one
    schedule<> const early{{{.vertex = unread}, {.what = action::discard, .vertex = unread}, {.vertex = second}}};
    CHECK(verify_schedule(flow, early).broken->broken == rule::inputs_first);
    schedule<> const without{{{.vertex = second}}};
    CHECK(verify_schedule(flow, without, {.resident_at_end = {x}}).broken->broken == rule::inputs_first);
}

TEST_CASE("inputs are there together, though the reader of one of them need not run") {
    // Either of two operations computes the last value; only the second reads the first input.
    dataflow_builder builder;
    auto const first = builder.add_input(), second = builder.add_input();
    auto const x = builder.add_value(first, 5);
    builder.add_value(second, 4);
    auto const y = add_step(builder, {}, 2);
    auto const other = builder.add_operation(1);
    builder.add_producer(other, y);
    builder.add_read(other, x);
    auto const flow = std::move(builder).build();
    CHECK((find_least_peak(flow).lower == 9 && find_least_peak(flow).upper == 9));
    CHECK(find_optimal_pebbling(flow, 8).proven);
    CHECK_FALSE(find_optimal_pebbling(flow, 8).schedule);
}

TEST_CASE("an input after an operation, and a mutation beside a view of several storages, are refused") {
    CHECK(support::throws<bad_graph>(
        [] {
            dataflow_builder builder;
            add_step(builder, {}, 1);
            builder.add_control_edge(0, builder.add_input());
            return std::move(builder).build();
        },
        {"operation 1 is an input, and operation 0, which is none, is to run before it"}));
    CHECK(support::throws<bad_graph>(
        [] {
            dataflow_builder builder;
            auto const x = add_step(builder, {}, 1), y = add_step(builder, {}, 1);
            auto const both = builder.add_operation(0);
            builder.add_read(both, x);
            builder.add_read(both, y);
            auto const view = builder.add_view(both, std::array{x, y});
            add_step(builder, {x, view}, 1);
            builder.add_mutation(3, 0, x);
            return std::move(builder).build();
        },
        {"output 0 of operation 3 overwrites value 0, of which it reads value 2, a view of several storages"}));
}

TEST_CASE("a mutation keeps its bytes where another producer makes its outputs change places") {
    // Operation 1 writes the mutated value and then value 2, of which operation 0 is the first producer.
    dataflow_builder builder;
    builder.add_operation(1);
    builder.add_operation(1);
    auto const x = builder.add_value(0, 3), other = builder.add_value(0, 1), y = builder.add_value(1, 3);
    builder.add_producer(1, other);
    builder.add_read(1, x);
    builder.add_mutation(1, 0, x);
    builder.add_result(y);
    builder.add_result(other);
    auto const flow = std::move(builder).build();
    CHECK((find_least_peak(flow).lower == 4 && find_least_peak(flow).upper == 4));
    CHECK(support::brute_pebbling::least_peak(flow, 0, 9) == 4);
}
