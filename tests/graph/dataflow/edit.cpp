// Covers graph/dataflow/edit.hpp, graph/dataflow/overwrite_rule.hpp, graph/training/training_graph.hpp.
#include <limits>
#include <vector>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/dataflow/edit.hpp>
#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/graph/dataflow/overwrite_rule.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>

#include "support/catch.hpp"
#include "support/ints.hpp"
#include "support/throws.hpp"

using namespace repebble;

namespace {

/// Operations 0 -> 1 -> 2 of one value each, of 4 bytes.
auto row_of_three() -> dataflow_builder {
    dataflow_builder builder;
    for (operation_index v = 0; v < 3; ++v) {
        builder.add_operation(1);
        auto const made = builder.add_value(v, 4);
        if (v > 0) builder.add_read(v, made - 1);
    }
    return builder;
}

}  // namespace

TEST_CASE("a dataflow takes other times and workspaces and stays the same otherwise", "[edit]") {
    auto const flow = row_of_three().build();
    auto const again = edit(flow, {.times = {0, 10, 20}, .workspaces = {0, 7, 0}});
    CHECK(again.time_once() == 30);
    CHECK(again.time(2) == 20);
    CHECK(again.workspace(1) == 7);
    CHECK(edit(again, {.times = {1, 1, 1}, .workspaces = {0, 0, 0}}) == flow);
    CHECK(edit(again, {}) == again);
    CHECK(edit(again, {.times = {1, 1, 1}}).workspace(1) == 7);
}

TEST_CASE("weights that cannot be are refused by the operation's number", "[edit]") {
    auto const training = make_training_graph(std::vector<std::vector<int>>{{1}, {}}, weights{unit_weight{}});
    CHECK(support::throws<bad_weight>([&] { return edit(training, {.times = {0, 0, 0, -1}}); }, {"operation 3"}));
    std::vector<bytes> const most(4, std::numeric_limits<bytes>::max());
    CHECK_THROWS_AS(edit(training, {.workspaces = most}), bad_weight);
    CHECK_THROWS_WITH(edit(training, {.times = {1}}), "times of 1 operations are given: there are 4");
    dataflow_builder builder;
    builder.add_value(builder.add_input(), 4);
    auto const flow = std::move(builder).build();
    CHECK(edit(flow, {.times = {0}, .workspaces = {0}}) == flow);
    CHECK_THROWS_WITH(edit(flow, {.times = {2}}), "time of operation 0 is 2: it is an input, and has none");
    CHECK_THROWS_WITH(edit(flow, {.workspaces = {4}}), "workspace of operation 0 is 4: it is an input, and has none");
}

TEST_CASE("more values stay to the end; one that does not exist, or is overwritten, is refused", "[edit]") {
    auto const flow = row_of_three().build();
    CHECK(support::ints(edit(edit(flow, {.results = {2}}), {.results = {0, 2}}).results()) == std::vector<int>{0, 2});
    CHECK_THROWS_WITH(edit(flow, {.results = {3}}), "value 3 is named as a result: there are 3");
    auto builder = row_of_three();
    builder.add_mutation(1, 0, 0);
    CHECK_THROWS_WITH(edit(std::move(builder).build(), {.results = {0}}),
                      "value 0 is a result, and operation 1 overwrites it");
}

TEST_CASE("a result that one of two producers of a value writes needs that one from then on", "[edit]") {
    dataflow_builder builder;
    for (std::int64_t const time : {1, 5, 1}) builder.add_operation(time);
    auto const x = builder.add_value(0, 4);
    builder.add_producer(1, x);
    auto const y = builder.add_value(1, 4);
    builder.add_read(2, x);
    auto const flow = std::move(builder).build();
    CHECK(flow.time_once() == 2);
    CHECK(edit(flow, {.results = {y}}).time_once() == 6);
}

TEST_CASE("a rule allows more overwrites, each once", "[edit]") {
    auto builder = row_of_three();
    builder.allow_overwrite(1, 0, 0);
    auto const rule = [](operation_index, std::uint32_t, value_index over) { return over == 0 || over == 1; };
    static_assert(overwrite_rule<decltype(rule)>);
    auto const flow = edit(std::move(builder).build(), {.may_overwrite = rule});
    REQUIRE(flow.allowed_overwrites(1).size() == 1);
    CHECK(flow.allowed_overwrites(2).front() == overwrite{0, 1});
    CHECK(flow.allowed_overwrites(0).empty());
}

TEST_CASE("operations that exist may be said to run once", "[edit]") {
    auto const flow = edit(row_of_three().build(), {.run_once = {1}});
    CHECK((flow.recomputable(0) && !flow.recomputable(1)));
    CHECK_THROWS_WITH(edit(flow, {.run_once = {3}}), "operation 3 is to run once: there are 3");
}

TEST_CASE("sizes of storages and workspaces are rounded up to the alignment, and views stay none", "[edit]") {
    dataflow_builder builder;
    for (bytes const workspace : {0, 1, 8}) builder.add_operation(1, workspace);
    auto const owner = builder.add_value(0, 5);
    builder.add_read(1, owner);
    std::vector<value_index> const viewed{owner};
    auto const view = builder.add_view(1, viewed);
    auto const even = builder.add_value(1, 8);
    auto const none = builder.add_value(2, 0);
    builder.add_read(2, view);
    auto const flow = std::move(builder).build();
    auto const aligned = edit(flow, {.alignment = 8});
    CHECK((aligned.size(owner) == 8 && aligned.size(even) == 8 && aligned.size(none) == 0));
    CHECK(aligned.size(view) == flow.size(view));
    CHECK((aligned.workspace(0) == 0 && aligned.workspace(1) == 8 && aligned.workspace(2) == 8));
    CHECK(edit(flow, {.alignment = 1}) == flow);
    CHECK(edit(flow, {.workspaces = {3, 3, 3}, .alignment = 4}).workspace(2) == 4);
}

TEST_CASE("storages of inputs have no bytes where they lie outside, nor has what mutations write there", "[edit]") {
    dataflow_builder builder;
    auto const weight = builder.add_value(builder.add_input(), 64);
    auto const gradient = builder.add_operation(3, 5), step = builder.add_operation(1),
               other = builder.add_operation(1);
    builder.add_read(gradient, weight);
    auto const g = builder.add_value(gradient, 64);
    builder.add_read(step, g);
    builder.add_read(step, weight);
    auto const updated = builder.add_value(step, 64);
    builder.add_mutation(step, 0, weight);
    builder.add_read(other, g);
    builder.add_value(other, 64);
    builder.add_mutation(other, 0, g);
    builder.add_control_edge(step, other);
    builder.add_result(updated);
    auto const flow = std::move(builder).build();
    auto const outside = edit(flow, {.inputs_outside = true, .alignment = 128});
    CHECK(outside.size(weight) == 0);
    CHECK(outside.size(updated) == 0);
    CHECK(outside.size(g) == 128);
    CHECK(outside.size(outside.writes(other)[0]) == 128);
    CHECK(outside.workspace(gradient) == 128);
    CHECK(replay(flow, make_schedule(flow)).peak == 64 + 64 + 5);
    CHECK(replay(outside, make_schedule(outside)).peak == 256);
}

TEST_CASE("an alignment below 1, or with sizes beyond 64 bits, is refused", "[edit]") {
    auto const flow = row_of_three().build();
    CHECK_THROWS_WITH(edit(flow, {.alignment = 0}), "sizes are to be multiples of 0, which is below 1");
    CHECK_THROWS_AS(edit(flow, {.alignment = std::numeric_limits<bytes>::max()}), bad_weight);
}
