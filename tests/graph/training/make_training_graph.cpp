// Covers graph/adapt/nested_range.hpp, graph/training/convention.hpp, graph/training/make_training_graph.hpp,
// graph/training/training_graph.hpp, graph/training/training_vertex.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/graph/training/training_graph.hpp>

#include "recompute/random_training.hpp"
#include "support/archetypes.hpp"
#include "support/brute_force.hpp"
#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/property.hpp"
#include "support/throws.hpp"

using namespace repebble;
using support::split_mix;
using support::throws;
using vertex = training_vertex<operation_index>;

namespace {

/// 0 is read by 1 and 2, both by 3.
support::weighted_dag const diamond{{{1, 2}, {3}, {3}, {}}, {1, 2, 3, 4}, {10, 20, 30, 40}, {0, 0, 0, 0}};

/// The operations that v reads, ascending.
auto reads(training_graph const& t, std::size_t v) -> std::vector<std::size_t> {
    auto const row = t.flow.graph().predecessors(v);
    return {row.begin(), row.end()};
}
auto bytes_written(training_graph const& t, std::size_t v) -> std::vector<bytes> {
    std::vector<bytes> sizes;
    for (auto const value : t.flow.writes(v)) sizes.push_back(t.flow.size(value));
    return sizes;
}
auto times(training_graph const& t) -> std::vector<std::int64_t> {
    std::vector<std::int64_t> result;
    for (std::size_t v = 0; v < t.flow.operation_count(); ++v) result.push_back(t.flow.time(v));
    return result;
}

using list = std::vector<std::size_t>;
using sizes = std::vector<bytes>;

/// A needs row per operation, each of them empty.
auto no_needs(std::size_t n) -> gradient_needs {
    gradient_needs needs;
    for (std::size_t v = 0; v < n; ++v) needs.append(std::vector<value_index>{});
    return needs;
}

}  // namespace

// ---- value_grad ------------------------------------------------------------------------------------------------

TEST_CASE("value_grad: a diamond, edge by edge", "[training_graph]") {
    auto const t = diamond.training(gradient_dependencies{});
    REQUIRE(t.flow.operation_count() == 8);
    CHECK(times(t) == std::vector<std::int64_t>{1, 2, 3, 4, 8, 6, 4, 2});
    CHECK((reads(t, 1) == list{0} && reads(t, 3) == list{1, 2}));
    CHECK(reads(t, 4) == list{3});           // a sink's gradient reads the sink
    CHECK(reads(t, 5) == list{1, 2, 3, 4});  // of 2: the gradient of 3, the inputs of 3, and 3
    CHECK(reads(t, 6) == list{1, 2, 3, 4});
    CHECK(reads(t, 7) == list{0, 1, 2, 5, 6});  // of 0: the gradients of 1 and 2, their input, and both
    for (std::size_t v = 0; v < 4; ++v) CHECK(bytes_written(t, 7 - v) == sizes{diamond.memory[v]});
}

TEST_CASE("value_grad: gradients that need inputs only do not read outputs, but a sink", "[training_graph]") {
    auto const t = diamond.training(needs_inputs_only);
    CHECK(reads(t, 4) == list{3});
    CHECK(reads(t, 5) == list{1, 2, 4});
    CHECK(reads(t, 6) == list{1, 2, 4});
    CHECK(reads(t, 7) == list{0, 5, 6});
}

TEST_CASE("value_grad: each consumer declares the needs of its gradient", "[training_graph]") {
    auto const by_vertex = [](int v) { return v == 1; };
    auto const t = diamond.training(gradient_dependencies{by_vertex, [](int v) { return v == 3; }});
    CHECK(reads(t, 5) == list{3, 4});
    CHECK(reads(t, 7) == list{0, 5, 6});
    auto const by_edge =
        diamond.training(gradient_dependencies{[](int v, int u) { return v == 3 && u == 2; }, never{}});
    CHECK(reads(by_edge, 6) == list{2, 4});
}

TEST_CASE("gradients are as large as is said, and not as their values", "[training_graph]") {
    auto const flow = make_dataflow(diamond.graph, diamond.weights());
    auto const of = [&](convention how) { return make_training_graph(flow, no_needs(4), how, {1, 2, 3, 4}); };
    auto const t = of(convention::value_grad);
    for (std::size_t v = 0; v < 4; ++v) CHECK(bytes_written(t, 7 - v) == sizes{static_cast<bytes>(v) + 1});
    CHECK(bytes_written(of(convention::op_backward), 4) == sizes{5});
}

// ---- without a gradient ----------------------------------------------------------------------------------------

TEST_CASE("no gradient passes a vertex that says so, and nobody waits for one", "[training_graph]") {
    auto const without_one = gradient_dependencies{always{}, always{}, [](int v) { return v != 1; }};
    auto const value = diamond.training(without_one);
    REQUIRE(value.flow.operation_count() == 7);
    CHECK(reads(value, 5) == list{1, 2, 3, 4});  // of 2
    CHECK(reads(value, 6) == list{0, 2, 5});     // of 0: the gradient of 2, its input and itself; nothing of 1
    auto const backward = diamond.training(without_one, convention::op_backward);
    REQUIRE(backward.flow.operation_count() == 7);
    CHECK(bytes_written(backward, 4) == sizes{30});  // of 3: the gradient of 2 alone
    CHECK(reads(backward, 6) == list{0, 5});
    auto const executable = diamond.training(without_one, convention::executable);
    REQUIRE(executable.flow.operation_count() == 7);
    CHECK(bytes_written(executable, 4) == sizes{30});
    CHECK(bytes_written(executable, 5) == sizes{10});
}

TEST_CASE("gradients begin where those that read have none", "[training_graph]") {
    auto const t = diamond.training(gradient_dependencies{always{}, always{}, [](int v) { return v != 3; }});
    REQUIRE(t.flow.operation_count() == 7);
    CHECK(reads(t, 4) == list{2});
    CHECK(reads(t, 5) == list{1});
    CHECK(reads(t, 6) == list{0, 1, 2, 4, 5});
    auto const none = diamond.training(gradient_dependencies{always{}, always{}, never{}});
    CHECK(none.flow.operation_count() == 4);
}

TEST_CASE("an output without a gradient has none, whoever reads it", "[training_graph]") {
    // A pool writes maxima (4 bytes) and their indices (8). 1 reads the maxima, 2 reads 1 and the indices.
    support::rich_graph const pool{{{.readers = {{1, {0}}, {2, {1}}}, .outputs = {{4}, {8}}},
                                    {.readers = {{2, {0}}}, .outputs = {{16}}},
                                    {.outputs = {{32}}}}};
    auto const training = [&](convention how, std::uint32_t real) {
        auto const passes = [real](int v, std::uint32_t j) { return v != 0 || j == real; };
        return make_training_graph(pool, weights{unit_weight{}, pool.memory()},
                                   gradient_dependencies{never{}, never{}, passes}, how);
    };
    for (auto const how : {convention::executable, convention::op_backward}) {
        auto const t = training(how, 0);
        REQUIRE(t.flow.operation_count() == 6);
        CHECK(bytes_written(t, 3) == sizes{16});  // of 2: the gradient of what 1 writes
        CHECK(bytes_written(t, 4) == sizes{4});
        CHECK(reads(t, 5) == list{4});
    }
    auto const values = training(convention::value_grad, 0);
    CHECK(reads(values, 5) == list{4});
    CHECK(bytes_written(values, 5) == sizes{4});
    CHECK(bytes_written(training(convention::value_grad, 1), 5) == sizes{8});  // of its first output that has one
}

TEST_CASE("a vertex or a value without a gradient that does not exist is refused", "[training_graph]") {
    auto const flow = make_dataflow(diamond.graph, diamond.weights());
    CHECK(throws<bad_graph>(
        [&] { return make_training_graph(flow, no_needs(4), convention::value_grad, {}, {}, {}, {4}); }, {"value 4"}));
    CHECK(throws<bad_graph>([&] { return make_training_graph(flow, no_needs(4), convention::value_grad, {}, {}, {4}); },
                            {"vertex 4"}));
}

// ---- op_backward -----------------------------------------------------------------------------------------------

TEST_CASE("op_backward: a diamond, edge by edge", "[training_graph]") {
    auto const t = diamond.training(gradient_dependencies{}, convention::op_backward);
    REQUIRE(t.flow.operation_count() == 8);
    CHECK(times(t) == std::vector<std::int64_t>{1, 2, 3, 4, 8, 6, 4, 2});
    CHECK(reads(t, 4) == list{1, 2, 3});
    CHECK(reads(t, 5) == list{0, 2, 4});
    CHECK(reads(t, 6) == list{0, 1, 4});
    CHECK(reads(t, 7) == list{0, 5, 6});
    CHECK(bytes_written(t, 4) == sizes{50});  // the gradients of 1 and 2
    CHECK(bytes_written(t, 5) == sizes{10});
    CHECK(bytes_written(t, 6) == sizes{10});
    CHECK(bytes_written(t, 7) == sizes{0});
}

// ---- executable ------------------------------------------------------------------------------------------------

TEST_CASE("executable: a diamond, edge by edge", "[training_graph]") {
    auto const t = diamond.training(gradient_dependencies{}, convention::executable);
    REQUIRE(t.flow.operation_count() == 9);
    CHECK(times(t) == std::vector<std::int64_t>{1, 2, 3, 4, 8, 6, 4, 0, 2});
    CHECK(bytes_written(t, 4) == sizes{20, 30});  // one output per input's gradient
    CHECK(reads(t, 4) == list{1, 2, 3});
    CHECK(reads(t, 5) == list{0, 2, 4});
    CHECK(reads(t, 6) == list{0, 1, 4});
    CHECK(t.flow.reads(5).back() == t.flow.writes(4)[1]);
    CHECK(t.flow.reads(6).back() == t.flow.writes(4)[0]);
    CHECK(t.origin[7] == vertex{0, pass::accumulate, 0});
    CHECK(reads(t, 7) == list{5, 6});
    CHECK(bytes_written(t, 7) == sizes{10});
    CHECK(reads(t, 8) == list{0, 7});
    CHECK(t.flow.writes(8).empty());
}

TEST_CASE("executable: gradients of four readers are added up from the last reader to the first", "[training_graph]") {
    support::adjacency const g{{1, 2, 3, 4}, {}, {}, {}, {}};
    auto const t = make_training_graph(g, weights{unit_weight{}, unit_weight{}}, {}, convention::executable);
    REQUIRE(t.flow.operation_count() == 5 + 4 + 3 + 1);
    auto const backward_of = [&](operation_index v) { return *t.find({v, pass::backward, 0}); };
    auto const add = [&](std::uint32_t part) { return *t.find({0, pass::accumulate, part}); };
    auto const sorted = [](std::size_t a, std::size_t b) { return list{std::min(a, b), std::max(a, b)}; };
    CHECK(reads(t, add(0)) == sorted(backward_of(4), backward_of(3)));
    CHECK(reads(t, add(1)) == sorted(add(0), backward_of(2)));
    CHECK(reads(t, add(2)) == sorted(add(1), backward_of(1)));
    CHECK(reads(t, backward_of(0)) == sorted(0, add(2)));
}

TEST_CASE("executable: each output with a reader has a gradient of its own", "[training_graph]") {
    support::rich_graph const g{{{.readers = {{1, {0, 2}}}, .outputs = {{4}, {5}, {6}}}, {}}};
    auto const t = make_training_graph(g, weights{unit_weight{}, g.memory()}, {}, convention::executable);
    CHECK(bytes_written(t, 2) == sizes{4, 6});
    CHECK(reads(t, 3) == list{0, 2});
    CHECK(t.flow.reads(3).size() == 5);  // three outputs and two gradients
}

// ---- views, needs, names -----------------------------------------------------------------------------------------

TEST_CASE("a view has no gradient of its own, and its readers' gradients read the owner", "[training_graph]") {
    support::rich_graph const g{{{.readers = {{1, {0}}}, .outputs = {{4}}}, {.readers = {{2, {0}}}, .view = true}, {}}};
    for (auto const how : support::built_conventions) {
        auto const t = make_training_graph(g, weights{unit_weight{}, g.memory()}, {}, how);
        REQUIRE(t.flow.operation_count() == 5);
        CHECK(t.flow.is_view(t.flow.writes(1).front()));
        CHECK(reads(t, 2) == list{1});
        CHECK(!t.find({1, pass::backward, 0}));
        CHECK(t.find({0, pass::backward, 0}) == 4U);
        auto const row = reads(t, how == convention::value_grad ? 4 : 3);
        CHECK(std::ranges::find(row, 0U) != row.end());
        CHECK(std::ranges::find(row, 1U) == row.end());
        CHECK(t.flow.time(4) == 4);  // twice the owner's and the view's time
    }
}

TEST_CASE("needs are values that operations read and write, as declared", "[training_graph]") {
    support::rich_graph const g{{{.readers = {{1, {1}}}, .outputs = {{4}, {5}}}, {}}};
    auto const flow = make_dataflow(g, unit_weight{}, g.memory());
    auto const row = [&](auto const& depends, std::size_t v) {
        auto const needs = detail::find_gradient_needs(g, flow, depends);
        return std::vector<int>(needs[v].begin(), needs[v].end());
    };
    CHECK(row(gradient_dependencies{}, 0) == std::vector{0, 1});
    CHECK(row(gradient_dependencies{}, 1) == std::vector{1, 2});
    CHECK(row(gradient_dependencies{never{}, [](int, std::uint32_t j) { return j == 1; }}, 0) == std::vector{1});
    CHECK(row(gradient_dependencies{[](int v, int u) { return v == 1 && u == 0; }, never{}}, 1) == std::vector{1});
    CHECK(row(needs_inputs_only, 0).empty());
}

TEST_CASE("conventions have names", "[training_graph]") {
    CHECK(to_string(convention::value_grad) == std::string("value_grad"));
    CHECK(to_string(convention::op_backward) == std::string("op_backward"));
    CHECK(to_string(convention::executable) == std::string("executable"));
    CHECK(to_string(convention::joint) == std::string("joint"));
}

// ---- whatever the graph ------------------------------------------------------------------------------------------

TEST_CASE("find and origin undo each other", "[training_graph][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        split_mix random(seed);
        for (int i = 0; i < 10; ++i) {
            auto const t = support::random_training(random, 10);
            RC_ASSERT(t.origin.size() == t.flow.operation_count());
            for (std::uint32_t v = 0; v < t.origin.size(); ++v) RC_ASSERT(t.find(t.origin[v]) == std::optional(v));
            RC_ASSERT(!t.find({static_cast<operation_index>(t.origin.size()), pass::forward, 0}));
            RC_ASSERT(!t.find({0, pass::accumulate, 1000}));
        }
    }));
}

TEST_CASE("gradients of a value with many readers are added as they arrive", "[training_graph]") {
    // 0 is read by all of 1 → 2 → … → 5.
    std::vector<std::vector<int>> const g{{1, 2, 3, 4, 5}, {2}, {3}, {4}, {5}, {}};
    auto const t = make_training_graph(g, weights{}, needs_inputs_only, convention::executable);
    std::vector<std::pair<operation_index, pass>> gradients;
    for (auto const& [v, pass, part] : t.origin)
        if (pass != pass::forward) gradients.emplace_back(v, pass);
    using enum pass;
    CHECK(gradients == std::vector<std::pair<operation_index, pass>>{{5, backward},
                                                                     {4, backward},
                                                                     {0, accumulate},
                                                                     {3, backward},
                                                                     {0, accumulate},
                                                                     {2, backward},
                                                                     {0, accumulate},
                                                                     {1, backward},
                                                                     {0, accumulate},
                                                                     {0, backward}});
    CHECK(t.origin[10].part == 1);
}

TEST_CASE("the forward part is the forward graph, and gradients follow in reverse order",
          "[training_graph][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        split_mix random(seed);
        for (int i = 0; i < 10; ++i) {
            auto const forward = support::random_forward(random, 10);
            auto const how = support::built_conventions[support::below(random, 3)];
            auto const t = make_training_graph(forward, support::random_needs(random, forward), how);
            RC_ASSERT(t.made_by == how);
            std::size_t const n = forward.operation_count();
            for (std::size_t v = 0; v < n; ++v) {
                RC_ASSERT((t.origin[v] == vertex{static_cast<operation_index>(v), pass::forward, 0}));
                RC_ASSERT(t.flow.time(v) == forward.time(v));
                RC_ASSERT(t.flow.workspace(v) == forward.workspace(v));
                RC_ASSERT(t.flow.recomputable(v) == forward.recomputable(v));
                RC_ASSERT(t.flow.reads(v).size() == forward.reads(v).size());
                RC_ASSERT(std::ranges::equal(t.flow.graph().predecessors(v), forward.graph().predecessors(v)));
                RC_ASSERT(t.flow.writes(v).size() == forward.writes(v).size());
                for (std::size_t j = 0; j < forward.writes(v).size(); ++j) {
                    RC_ASSERT(t.flow.size(t.flow.writes(v)[j]) == forward.size(forward.writes(v)[j]));
                    RC_ASSERT(t.flow.is_view(t.flow.writes(v)[j]) == forward.is_view(forward.writes(v)[j]));
                }
            }
            for (std::size_t v = n; v < t.origin.size(); ++v) {
                RC_ASSERT((t.origin[v].pass != pass::forward && t.flow.recomputable(v) && t.flow.workspace(v) == 0));
                for (auto const u : t.flow.graph().predecessors(v)) RC_ASSERT((u < n || u < v));
                if (t.origin[v].pass == pass::accumulate) continue;  // as soon as two gradients are there
                for (auto const w : forward.graph().successors(t.origin[v].vertex))
                    if (auto const later = t.find({w, pass::backward, 0})) RC_ASSERT(*later < v);
            }
            RC_ASSERT(t.flow.time_once() == 3 * forward.time_once());
        }
    }));
}

TEST_CASE("the recorded training graphs are made from their forward parts, edge by edge", "[training_graph][data]") {
    auto const cases = support::proven_optima();
    if (cases.empty()) SKIP("there is no data folder own/optimal");
    for (auto const& entry : cases) {
        INFO(entry.at("name").get<std::string>() << ", " << entry.at("convention").get<std::string>());
        auto const& joint = entry.at("joint");
        auto const t = support::training_from(entry);
        auto const n = joint.at("time").size();
        REQUIRE(t.flow.operation_count() == n);
        CHECK(times(t) == joint.at("time").get<std::vector<std::int64_t>>());
        std::vector<std::pair<std::size_t, std::size_t>> edges;
        for (std::size_t v = 0; v < n; ++v) {
            CHECK(bytes_written(t, v) == sizes{joint.at("mem").at(v).get<bytes>()});
            CHECK(to_string(t.origin[v].pass) == joint.at("phase").at(v).get<std::string>());
            for (auto const w : t.flow.graph().successors(v)) edges.emplace_back(v, w);
        }
        auto expected = joint.at("edges").get<std::vector<std::pair<std::size_t, std::size_t>>>();
        std::ranges::sort(expected);
        CHECK(edges == expected);
    }
}

// ---- joint graphs --------------------------------------------------------------------------------------------------

TEST_CASE("a training graph keeps the unit of its times", "[training_graph]") {
    auto const t = make_training_graph(support::chain(2), weights{[](int) { return 0.5; }});
    CHECK(t.flow.unit() == time_unit{.per = 10});
    CHECK(t.flow.time(1) == 5);
}

TEST_CASE("a joint graph keeps its numbers and its dataflow", "[training_graph]") {
    auto const flow = make_dataflow(diamond.graph, diamond.weights());
    auto const t = make_training_graph(flow, {pass::forward, pass::forward, pass::backward, pass::backward});
    CHECK(t.flow == flow);
    CHECK(t.made_by == convention::joint);
    CHECK(t.find({2, pass::backward, 0}) == 2U);
    CHECK(!t.find({2, pass::forward, 0}));
}

TEST_CASE("a joint graph needs a pass for every operation; what comes after a backward one is backward",
          "[training_graph]") {
    auto const flow = make_dataflow(support::chain(2));
    CHECK(throws<bad_graph>([&] { return make_training_graph(flow, {pass::forward}); }, {"1 of 2"}));
    auto const after =
        make_training_graph(make_dataflow(support::chain(3)), {pass::forward, pass::backward, pass::forward});
    CHECK((after.find({0, pass::forward, 0}) && after.find({1, pass::backward, 0}) &&
           after.find({2, pass::backward, 0})));
}

// ---- rejected inputs -----------------------------------------------------------------------------------------------

TEST_CASE("needs or gradient sizes of another graph are refused", "[training_graph]") {
    auto const flow = make_dataflow(support::chain(3));
    CHECK(throws<bad_graph>([&] { return make_training_graph(flow, no_needs(2)); }, {"2 of 3"}));
    CHECK(throws<bad_graph>(
        [&] {
            return make_training_graph(flow, no_needs(3), convention::value_grad, {1, 2});
        },
        {"2 of 3"}));
    gradient_needs needs = no_needs(2);
    needs.append(std::vector<value_index>{3});
    CHECK(throws<bad_graph>([&] { return make_training_graph(flow, needs); }, {"vertex 2", "does not exist"}));
}

TEST_CASE("a joint training graph is not built", "[training_graph]") {
    auto const flow = make_dataflow(support::chain(2));
    CHECK(throws<bad_graph>([&] { return make_training_graph(flow, no_needs(2), convention::joint); }, {"joint"}));
}

TEST_CASE("gradients of values with several producers are refused", "[training_graph]") {
    dataflow_builder builder;
    auto const a = builder.add_operation(1);
    auto const b = builder.add_operation(1);
    builder.add_producer(b, builder.add_value(a, 1));
    auto const flow = std::move(builder).build();
    CHECK(throws<bad_graph>([&] { return make_training_graph(flow, no_needs(2)); }, {"vertex 0", "several producers"}));
}

TEST_CASE("gradients whose time or bytes overflow are refused", "[training_graph]") {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    auto const one = support::chain(1);
    auto const long_one = [&](int) { return most / 2 + 1; };
    CHECK(throws<bad_weight>([&] { return make_training_graph(one, weights{long_one, unit_weight{}}); }, {"times"}));
    auto const three = support::chain(3);
    auto const large = [&](int) { return most / 4; };
    CHECK(throws<bad_weight>([&] { return make_training_graph(three, weights{unit_weight{}, large}); }, {"overflows"}));
}

TEST_CASE("the training graph of the empty graph is empty", "[training_graph]") {
    for (auto const how : support::built_conventions)
        CHECK(make_training_graph(support::adjacency{}, weights{unit_weight{}, unit_weight{}}, {}, how)
                  .flow.operation_count() == 0);
}

TEST_CASE("every gradient refers to its value", "[graph]") {
    // 0 writes a; 1 and 2 read it; 3 reads their values: the gradients of a are added up.
    std::vector<std::vector<int>> const diamond{{1, 2}, {3}, {3}, {}};
    auto const training =
        make_training_graph(diamond, weights{unit_weight{}}, gradient_dependencies{}, convention::executable);
    auto const& of = training.gradient_of;
    REQUIRE(of.size() == training.flow.value_count());
    for (value_index value = 0; value < 4; ++value) CHECK(of[value] == no_value);
    CHECK(std::vector(of.begin() + 4, of.end()) == std::vector<value_index>{1, 2, 0, 0, 0});
    auto const by_value = make_training_graph(diamond, weights{unit_weight{}});
    CHECK(std::vector(by_value.gradient_of.begin() + 4, by_value.gradient_of.end()) ==
          std::vector<value_index>{3, 2, 1, 0});
    auto const whole =
        make_training_graph(diamond, weights{unit_weight{}}, gradient_dependencies{}, convention::op_backward);
    CHECK(whole.gradient_of.back() == no_value);
}
