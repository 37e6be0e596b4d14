// Covers graph/adapt/nested_range.hpp, graph/dataflow/make_dataflow.hpp.
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/dataflow/make_dataflow.hpp>

#include "support/archetypes.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/ints.hpp"
#include "support/property.hpp"
#include "support/throws.hpp"

using namespace repebble;
using support::ints;
using support::output;
using support::rich_graph;
using support::throws;

namespace {

auto flow_of(rich_graph const& g) { return make_dataflow(g, unit_weight{}, g.memory()); }

auto const pair = support::chain(2);
constexpr auto most_time = std::numeric_limits<std::int64_t>::max();

/// A vertex that brings its own weights along.
struct node {
    int index = 0;
    double time = 0;
    int bytes = 0;
    [[nodiscard]] auto once() const -> bool { return index == 1; }
};
struct tape {
    std::vector<node> nodes;
};

}  // namespace

template <>
struct repebble::graph_traits<tape> {
    static auto vertices(tape const& t) -> std::vector<node> const& { return t.nodes; }  // by reference
    static auto successors(tape const& t, node const& v) {
        auto const next = static_cast<std::size_t>(v.index) + 1;
        return next < t.nodes.size() ? std::vector{t.nodes[next]} : std::vector<node>{};
    }
    static auto vertex_index(tape const&, node const& v) { return v.index; }
};

TEST_CASE("one operation with one value per vertex, by index", "[make_dataflow][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::any_dag(random, 15);
        auto const times = support::random_weights(random, g.size(), 0, 9);
        auto const sizes = support::random_weights(random, g.size(), 0, 9);
        auto const of = [](auto const& list) { return [&](int v) { return list[static_cast<std::size_t>(v)]; }; };
        auto const flow = make_dataflow(g, of(times), of(sizes));
        RC_ASSERT(flow.operation_count() == g.size());
        std::int64_t total = 0;
        for (std::size_t v = 0; v < g.size(); ++v) {
            auto const value = flow.writes(v).front();
            RC_ASSERT(flow.time(v) == times[v]);
            RC_ASSERT(flow.size(value) == sizes[v]);
            RC_ASSERT(flow.recomputable(v));
            RC_ASSERT(flow.workspace(v) == 0);
            auto readers = g[v];
            std::ranges::sort(readers);
            RC_ASSERT(ints(flow.readers(value)) == readers);
            total += times[v];
        }
        RC_ASSERT(flow.time_once() == total);
        support::least_graph const least(g);
        auto const of_label = [](auto const& list) {
            return [&](support::label v) { return list[static_cast<std::size_t>(v.id() - 100)]; };
        };
        RC_ASSERT(make_dataflow(least, of_label(times), of_label(sizes)) == flow);
    }));
}

TEST_CASE("weights may be members of the vertex, and floating-point times become whole", "[make_dataflow]") {
    tape const t{{{0, 0.5, 3}, {1, 1.25, 4}}};
    CHECK(&vertices(t) == &t.nodes);  // not copied
    auto const flow = make_dataflow(t, weights{&node::time, &node::bytes, zero_weight{}, &node::once});
    CHECK(flow.unit() == time_unit{.per = 100});
    CHECK((flow.time(0) == 50 && flow.time(1) == 125));
    CHECK(flow.time_once() == 175);
    CHECK(flow.size(1) == 4);
    CHECK((!flow.recomputable(0) && flow.recomputable(1)));
    CHECK(make_dataflow(t).unit() == time_unit{});
}

TEST_CASE("trait output_count: several values", "[make_dataflow]") {
    auto const flow = flow_of({{{.outputs = {{4}, {5}}}, {.outputs = {}}}});
    CHECK(flow.value_count() == 2);
    CHECK(flow.size(flow.writes(0)[1]) == 5);
    CHECK(flow.writes(1).empty());
}

TEST_CASE("trait outputs_read: a reader reads some of them", "[make_dataflow]") {
    auto const flow = flow_of({{{.readers = {{1, {1}}}, .outputs = {{4}, {5}}}, {}}});
    CHECK(ints(flow.reads(1)) == std::vector{1});
}

TEST_CASE("trait is_view: the values have no bytes of their own", "[make_dataflow]") {
    auto const flow = flow_of({{{.readers = {{1, {0}}}}, {.readers = {{2, {0}}}, .view = true}, {.view = true}}});
    CHECK((flow.is_view(1) && flow.is_view(2)));
    CHECK(ints(flow.owners(2)) == std::vector{0});
}

TEST_CASE("trait value_of: a value with two producers, whichever comes first", "[make_dataflow]") {
    for (int const first : {0, 1}) {
        rich_graph g{{{.outputs = {{4}}}, {.outputs = {{4}}}}};
        g.nodes[static_cast<std::size_t>(first)].outputs.front().same_vertex = 1 - first;
        auto const flow = flow_of(g);
        CHECK(flow.value_count() == 1);
        CHECK(ints(flow.producers(0)) == std::vector{0, 1});
        CHECK(flow.size(0) == 4);
    }
}

TEST_CASE("traits vertex_count and predecessors change nothing", "[make_dataflow]") {
    rich_graph const g{{{.readers = {{1, {0}}}}, {}}};
    CHECK(flow_of(g) == make_dataflow(pair));
    CHECK(vertex_count(g) == 2);
}

TEST_CASE("an edge that reads no output is a control edge", "[make_dataflow]") {
    auto const flow = flow_of({{{.readers = {{1, {}}}}, {}}});
    CHECK(flow.reads(1).empty());
    CHECK(ints(flow.control_predecessors(1)) == std::vector{0});
}

TEST_CASE("faults of outputs are named", "[make_dataflow]") {
    auto const fails = [](rich_graph const& g, std::initializer_list<std::string_view> words) {
        return throws<bad_graph>([&] { return flow_of(g); }, words);
    };
    CHECK(fails({{{.readers = {{1, {2}}}}, {}}}, {"edge 0 -> 1", "output 2", "vertex 0 has 1"}));
    CHECK(fails({{{.readers = {{1, {-1}}}}, {}}}, {"edge 0 -> 1", "output -1"}));
    CHECK(fails({{{.view = true}}}, {"operation 0 is a view of nothing"}));
    CHECK(fails({{{.outputs = {{1, 0, 3}}}}}, {"output 0 of vertex 0", "output 3", "does not exist"}));
    CHECK(fails({{{.outputs = {{1, 9, 0}}}}}, {"vertex 0", "vertex 9", "does not exist"}));
    CHECK(fails({{{}, {.outputs = {{1, 0, 0}}}, {.outputs = {{1, 1, 0}}}}}, {"vertex 2", "vertex 1", "another"}));
    CHECK(fails({{{}, {.outputs = {{1, 0, 0}, {1, 0, 0}}}}}, {"operation 1 writes value 0 twice"}));
    CHECK(throws<bad_graph>(
        [] {
            return make_dataflow(rich_graph{{{.outputs = {{}, {}}}}}, unit_weight{}, [](int) { return 1; });
        },
        {"vertex 0", "2 outputs", "memory(v, output)"}));
}

TEST_CASE("faults of weights are named", "[make_dataflow]") {
    auto const at_1 = [](auto bad) { return [=](int v) { return v == 1 ? bad : decltype(bad){}; }; };
    CHECK(throws<bad_weight>([&] { return make_dataflow(pair, at_1(-2)); }, {"time of vertex 1", "-2"}));
    CHECK(
        throws<bad_weight>([&] { return make_dataflow(pair, at_1(0.0 / 0.0)); }, {"time of vertex 1", "not a number"}));
    CHECK(throws<bad_weight>([&] { return make_dataflow(pair, unit_weight{}, at_1(-2)); }, {"memory of vertex 1"}));
    CHECK(throws<bad_weight>([&] { return make_dataflow(pair, unit_weight{}, at_1(2.5)); },
                             {"memory of vertex 1", "whole"}));
    CHECK(throws<bad_weight>(
        [&] {
            return make_dataflow(pair, weights{unit_weight{}, unit_weight{}, at_1(-2)});
        },
        {"workspace of vertex 1"}));
    CHECK(
        throws<bad_weight>([&] { return make_dataflow(pair, [](int) { return most_time; }); }, {"times", "overflow"}));
    CHECK(throws<bad_weight>([&] { return make_dataflow(pair, unit_weight{}, [](int) { return most_time; }); },
                             {"bytes", "overflow"}));
    CHECK_THROWS_AS(make_dataflow(support::adjacency{{1}, {0}}), not_a_dag);
}
