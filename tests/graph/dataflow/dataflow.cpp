// Covers graph/dataflow/dataflow.hpp, graph/dataflow/dataflow_builder.hpp, graph/dataflow/detail/needed_operations.hpp.
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/dataflow/detail/needed_operations.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/ints.hpp"
#include "support/naive_replay.hpp"
#include "support/property.hpp"
#include "support/random_full_dataflow.hpp"
#include "support/throws.hpp"

using namespace repebble;
using support::ints;
using support::throws;

static_assert(bidirectional_graph<dataflow> && bidirectional_graph<dataflow>);

namespace {

constexpr auto most_bytes = std::numeric_limits<bytes>::max();

/// A builder with n operations of time 1.
auto with_operations(int n) -> dataflow_builder {
    dataflow_builder builder;
    for (int i = 0; i < n; ++i) builder.add_operation(1);
    return builder;
}

}  // namespace

TEST_CASE("a dataflow has the operations and values that were built", "[dataflow]") {
    dataflow_builder builder;
    builder.add_operation(3);
    builder.add_operation(4, 7, false);
    builder.add_operation(0);
    auto const a = builder.add_value(0, 5);
    auto const b = builder.add_value(0, 0);
    auto const view = builder.add_view(1, std::vector{b, a, b});
    auto const view_of_view = builder.add_view(1, std::vector{view});
    for (auto const x : {b, a, b}) builder.add_read(1, x);
    builder.add_read(2, view_of_view);
    CHECK(builder.output_count(1) == 2);
    CHECK(builder.output(1, 1) == view_of_view);
    auto const flow = std::move(builder).build();

    CHECK(flow.operation_count() == 3);
    CHECK(flow.value_count() == 4);
    CHECK(flow.time(1) == 4);
    CHECK(flow.workspace(1) == 7);
    CHECK((flow.recomputable(0) && !flow.recomputable(1)));
    CHECK(ints(flow.reads(1)) == std::vector{0, 1});
    CHECK(ints(flow.writes(1)) == std::vector{2, 3});
    CHECK(ints(flow.writes(2)).empty());
    CHECK((flow.size(a) == 5 && flow.size(b) == 0 && flow.size(view) == 0));
    CHECK(ints(flow.owners(a)) == std::vector{0});
    CHECK(ints(flow.owners(view)) == std::vector{0, 1});
    CHECK(ints(flow.owners(view_of_view)) == std::vector{0, 1});
    CHECK((!flow.is_view(a) && flow.is_view(view) && flow.is_view(view_of_view)));
    CHECK(flow.owner_slots() == 6);
    CHECK(flow.owner_start(view_of_view) == 4);
    CHECK(ints(flow.producers(view)) == std::vector{1});
    CHECK(ints(flow.readers(a)) == std::vector{1});
    CHECK(flow.graph() == csr_graph(3, {{0, 1}, {1, 2}}));
    CHECK((!flow.is_sink(0) && flow.is_sink(2)));
    CHECK(ints(flow.order()) == std::vector{0, 1, 2});
    CHECK(flow.time_once() == 7);
}

TEST_CASE("the order is topological where indices are not", "[dataflow]") {
    auto builder = with_operations(3);
    builder.add_read(1, builder.add_value(2, 1));
    builder.add_read(0, builder.add_value(1, 1));
    CHECK(ints(std::move(builder).build().order()) == std::vector{2, 1, 0});
}

TEST_CASE("operations that share a value are alternatives, of which the cheapest counts", "[dataflow]") {
    dataflow_builder builder;
    for (std::int64_t const time : {9, 5, 8, 2}) builder.add_operation(time);
    auto const a = builder.add_value(0, 1);
    builder.add_producer(1, a);
    auto const b = builder.add_value(1, 1);
    builder.add_producer(2, b);  // by way of 1, an alternative to 0
    auto const flow = std::move(builder).build();
    CHECK(ints(flow.producers(a)) == std::vector{0, 1});
    CHECK(flow.time_once() == 5 + 2);
    CHECK(dataflow{}.time_once() == 0);
}

TEST_CASE("the time of everything once is the naive one", "[dataflow][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const flow = support::random_dataflow(random, {.operations = 15, .alternative_percent = 40});
        RC_ASSERT(flow.time_once() == support::naive_time_once(flow));
    }));
}

TEST_CASE("producers may lead in a circle: there is an order, and the time once is the naive one",
          "[dataflow][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const flow = support::random_full_dataflow(
            random, {.operations = 12, .alternative_percent = 40, .circle_percent = 80, .mutation_percent = 10});
        RC_ASSERT(flow.time_once() == support::naive_time_once(flow));
        std::vector<bool> made(flow.value_count(), false), ran(flow.operation_count(), false);
        for (auto const v : flow.order()) {
            for (auto const x : flow.reads(v)) {
                RC_ASSERT(made[x]);
                RC_ASSERT(ran[flow.producers(x).front()]);
            }
            for (auto const u : flow.graph().predecessors(v)) RC_ASSERT(ran[u]);
            for (auto const x : flow.writes(v)) made[x] = true;
            ran[v] = true;
        }
    }));
}

TEST_CASE("a value made again of its copy: its first producer is the one that does not need it", "[dataflow]") {
    dataflow_builder builder;
    for (std::int64_t const time : {1, 2, 10, 30}) builder.add_operation(time);
    auto const x = builder.add_value(0, 100);  // again, of the copy
    auto const copy = builder.add_value(1, 25);
    builder.add_read(0, copy);
    builder.add_read(1, x);
    builder.add_producer(2, x);
    builder.add_read(3, x);
    auto const flow = std::move(builder).build();
    CHECK(ints(flow.producers(x)) == std::vector{2, 0});
    CHECK(flow.as_output(x) == output_ref<operation_index>{2, 0});
    CHECK(ints(flow.order()) == std::vector{2, 1, 0, 3});
    CHECK(flow.time_once() == 10 + 30);
    CHECK(ints(detail::producers_before_readers(flow, x)) == std::vector{2});
}

TEST_CASE("a builder rejects inconsistent parts by name", "[dataflow]") {
    auto builder = with_operations(2);
    auto const a = builder.add_value(0, 1);
    CHECK(throws<bad_graph>([&] { return builder.add_value(2, 1); }, {"operation 2", "there are 2"}));
    CHECK(throws<bad_graph>(
        [&] {
            builder.add_read(1, 4);
            return 0;
        },
        {"value 4", "there are 1"}));
    CHECK(throws<bad_graph>(
        [&] {
            builder.add_read(5, a);
            return 0;
        },
        {"operation 5"}));
    CHECK(throws<bad_graph>(
        [&] {
            builder.add_producer(7, a);
            return 0;
        },
        {"operation 7"}));
    CHECK(throws<bad_graph>(
        [&] {
            builder.add_producer(0, a);
            return 0;
        },
        {"operation 0 writes value 0 twice"}));
    CHECK(throws<bad_graph>([&] { return builder.add_view(1, {}); }, {"operation 1 is a view of nothing"}));
    CHECK(throws<bad_graph>([&] { return builder.output(0, 1); }, {"operation 0 has no output 1"}));
    CHECK(throws<bad_weight>([&] { return builder.add_value(0, -3); }, {"operation 0", "negative", "-3"}));
    CHECK(throws<bad_weight>([&] { return builder.add_operation(-1); }, {"time of operation 2"}));
    CHECK(throws<bad_weight>([&] { return builder.add_operation(0, -1); }, {"workspace of operation"}));
}

TEST_CASE("an operation that makes a view must read the view's owners", "[dataflow]") {
    auto builder = with_operations(2);
    builder.add_view(1, std::vector{builder.add_value(0, 1)});
    CHECK(throws<bad_graph>([&] { return std::move(builder).build(); }, {"operation 1", "view of value 0"}));
}

TEST_CASE("cycles through values are found where no producer can be the first", "[dataflow]") {
    auto self = with_operations(1);
    self.add_read(0, self.add_value(0, 1));
    CHECK_THROWS_AS(std::move(self).build(), not_a_dag);

    auto builder = with_operations(3);
    auto const a = builder.add_value(0, 1);
    auto const b = builder.add_value(1, 1);
    builder.add_read(1, a);
    builder.add_read(2, b);
    builder.add_producer(2, a);  // computes a back from b …
    builder.add_read(0, b);      // … of which the other producer knows, too
    CHECK_THROWS_AS(std::move(builder).build(), not_a_dag);
}

TEST_CASE("bytes and times of all together are checked", "[dataflow]") {
    auto two_values = with_operations(1);
    two_values.add_value(0, most_bytes);
    two_values.add_value(0, 1);
    CHECK_THROWS_AS(std::move(two_values).build(), bad_weight);

    dataflow_builder workspaces;
    workspaces.add_operation(0, most_bytes);
    workspaces.add_operation(0, 1);
    CHECK_THROWS_AS(std::move(workspaces).build(), bad_weight);

    dataflow_builder times;
    times.add_operation(most_bytes);
    times.add_operation(1);
    CHECK(throws<bad_weight>([&] { return std::move(times).build(); }, {"times of all operations"}));
}

TEST_CASE("other readers of what is overwritten run before, whatever their numbers", "[dataflow]") {
    dataflow_builder builder;
    for (int i = 0; i < 4; ++i) builder.add_operation(1);
    auto const x = builder.add_value(0, 4);
    builder.add_value(2, 4);
    for (operation_index const v : {1U, 2U, 3U}) builder.add_read(v, x);
    builder.add_mutation(2, 0, x);
    auto const flow = std::move(builder).build();
    auto const before = flow.control_predecessors(2);
    CHECK(std::vector<operation_index>(before.begin(), before.end()) == std::vector<operation_index>{1, 3});
}

TEST_CASE("the value of an input has no other producer", "[dataflow]") {
    dataflow_builder builder;
    auto const x = builder.add_value(builder.add_input(), 4);
    builder.add_producer(builder.add_operation(1), x);
    CHECK_THROWS_AS(std::move(builder).build(), bad_graph);
}
