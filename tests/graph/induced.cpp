// Covers graph/adapt/induced.hpp, graph/adapt/nested_range.hpp, graph/bidirectional.hpp, graph/csr_graph.hpp,
// graph/dataflow/make_dataflow.hpp, graph/topological_order.hpp.
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/adapt/induced.hpp>
#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/bidirectional.hpp>
#include <repebble/graph/csr_graph.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/graph/topological_order.hpp>

#include "support/annotated_graph.hpp"
#include "support/archetypes.hpp"
#include "support/brute_force.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"
#include "support/random_full_dataflow.hpp"
#include "support/throws.hpp"

namespace {

/// The output with a number of bytes is a result.
struct graph_with_result : support::rich_graph {
    std::int64_t bytes_of_result = 0;
};

}  // namespace

template <>
struct repebble::graph_traits<graph_with_result> : repebble::graph_traits<support::rich_graph> {
    static auto is_result(graph_with_result const& g, int v, std::uint32_t j) -> bool {
        return g.at(v).outputs[j].bytes == g.bytes_of_result;
    }
};

using namespace repebble;
using support::adjacency;
using support::output;
using support::rich_graph;

static_assert(computation_graph<induced_graph<support::least_graph>>);
static_assert(!bidirectional_graph<induced_graph<support::least_graph>>);
static_assert(bidirectional_graph<induced_graph<csr_graph>>);
static_assert(!std::invocable<decltype(induced), adjacency, vertex_set const&>);  // a temporary
static_assert(std::invocable<decltype(induced), adjacency const&, vertex_set const&>);

namespace {

template <class Graph>
auto memory_of(Graph const& g) {
    return weights{unit_weight{}, g.memory()};
}

}  // namespace

TEST_CASE("the edges among the members are left, numbered anew", "[induced][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::any_dag(random, 25);
        vertex_set members(g.size());
        std::vector<std::uint32_t> rank(g.size(), 0);
        std::vector<csr_graph::edge> edges;
        for (std::size_t v = 0; v < g.size(); ++v) {
            rank[v] = static_cast<std::uint32_t>(members.size());
            if (support::chance(random, 60)) members.insert(v);
        }
        for (std::size_t u = 0; u < g.size(); ++u)
            for (int const w : g[u])
                if (auto const v = static_cast<std::size_t>(w); members.contains(u) && members.contains(v))
                    edges.emplace_back(rank[u], rank[v]);
        csr_graph const expected(members.size(), edges);

        RC_ASSERT(csr_graph::copy_of(induced(g, members)) == expected);
        support::least_graph const least(g);
        RC_ASSERT(csr_graph::copy_of(induced(least, members)) == expected);
        auto const both = bidirectional(g);
        auto const part = induced(both, members);
        for (auto const v : vertices(part)) {
            std::vector<std::uint32_t> above;
            for (auto const u : predecessors(part, v))
                above.push_back(static_cast<std::uint32_t>(vertex_index(part, u)));
            auto const row = expected.predecessors(vertex_index(part, v));
            RC_ASSERT(above == std::vector<std::uint32_t>(row.begin(), row.end()));
        }
    }));
}

TEST_CASE("all vertices induce the graph, none the empty one", "[induced]") {
    adjacency const g{{1, 2}, {2}, {}};
    CHECK(csr_graph::copy_of(induced(g, vertex_set::full(3))) == csr_graph::copy_of(g));
    CHECK(topological_order(induced(g, vertex_set(3))).empty());
    CHECK(topological_order(induced(g, support::set_of(0b101, 3))) == std::vector{0, 2});
    CHECK_THROWS_AS(induced(g, vertex_set(2)), precondition_violated);
}

TEST_CASE("outputs, partial reads and views stay", "[induced]") {
    rich_graph const g{{{.outputs = {{9}}},
                        {.readers = {{2, {1}}, {3, {0}}}, .outputs = {{4}, {5}}},
                        {.outputs = {{}}, .view = true},
                        {.outputs = {{6}}}}};
    rich_graph const expected{{{.readers = {{1, {1}}, {2, {0}}}, .outputs = {{4}, {5}}},
                               {.outputs = {{}}, .view = true},
                               {.outputs = {{6}}}}};
    auto const part = induced(g, support::set_of(0b1110, 4));
    CHECK(make_dataflow(part, memory_of(g)) == make_dataflow(expected, memory_of(expected)));
}

TEST_CASE("a view must have its owners", "[induced]") {
    rich_graph const g{{{.readers = {{1, {0}}, {2, {}}}}, {.readers = {{3, {0}}}, .view = true}, {}, {.view = true}}};
    CHECK(support::throws<bad_graph>([&] { return induced(g, support::set_of(0b0110, 4)); },
                                     {"vertex 1 is a view of a value of vertex 0", "not among the vertices"}));
    CHECK(support::throws<bad_graph>([&] { return induced(g, support::set_of(0b1001, 4)); }, {"vertex 3", "vertex 1"}));
    CHECK(vertex_count(induced(g, support::set_of(0b1011, 4))) == 3);
    CHECK(vertex_count(induced(g, support::set_of(0b0100, 4))) == 1);  // no view
}

TEST_CASE("a successor that is no vertex is named, of a member or not", "[induced]") {
    std::vector<std::vector<int>> const g{{1}, {900}, {}};
    for (auto const members : {0b011U, 0b101U})
        CHECK(support::throws<bad_graph>([&] { return induced(g, support::set_of(members, 3)); }, {"vertex 1", "900"}));
}

TEST_CASE("an edge that reads no output leaves a view whole", "[induced]") {
    rich_graph const g{{{.readers = {{2, {}}}}, {.readers = {{2, {0}}}}, {.view = true}}};
    CHECK(make_dataflow(induced(g, support::set_of(0b110, 3)), memory_of(g)).is_view(1));
}

TEST_CASE("where the first producer of a value is outside, the first member that makes it stands for it", "[induced]") {
    // 1, 2 and 3 compute the value of 0; 4 reads it from 2.
    rich_graph const g{{{.outputs = {{7}}},
                        {.outputs = {{8}, {2, 0, 0}}},
                        {.readers = {{4, {0}}}, .outputs = {{3, 0, 0}}},
                        {.outputs = {{7, 0, 0}}},
                        {}}};
    auto const whole = make_dataflow(induced(g, vertex_set::full(5)), memory_of(g));
    CHECK(whole == make_dataflow(g, memory_of(g)));
    CHECK(whole.producers(0).size() == 4);

    auto const part = induced(g, support::set_of(0b11110, 5));
    CHECK(detail::value_of(part, 2, 0) == output_ref<int>{1, 1});
    auto const flow = make_dataflow(part, memory_of(g));
    CHECK(flow.writes(1).front() == flow.writes(0)[1]);
    CHECK(flow.writes(2).front() == flow.writes(0)[1]);
    CHECK(flow.size(flow.writes(0)[1]) == 2);  // as its new first producer says
    auto const last = make_dataflow(induced(g, support::set_of(0b10100, 5)), memory_of(g));
    CHECK(last.size(0) == 3);
    CHECK(last.producers(0).size() == 1);
}

TEST_CASE("all vertices induce all that the traits say", "[induced][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        support::annotated_graph const g{support::random_full_dataflow(random, {.alternative_percent = 0})};
        auto const part = induced(g, vertex_set::full(g.flow.operation_count()));
        RC_ASSERT(make_dataflow(part, memory_of(g)) == make_dataflow(g, memory_of(g)));
    }));
}

namespace {

/// 0 writes a; 1 reads a and writes b; 2 reads a, b, a, mutates b and views a; a control edge leads from 1 to 3, an
/// input beside them stays.
auto graph_to_cut() -> support::annotated_graph {
    dataflow_builder builder;
    for (int v = 0; v < 4; ++v) builder.add_operation(1);
    auto const a = builder.add_value(0, 3);
    auto const b = builder.add_value(1, 2);
    auto const changed = builder.add_value(2, 2);
    builder.add_view(2, std::vector{a});
    builder.add_value(3, 1);
    builder.add_read(1, a);
    for (auto const value : {a, b, a}) builder.add_read(2, value);
    builder.allow_overwrite(1, 0, a);
    builder.add_mutation(2, 0, b);
    builder.add_control_edge(1, 3);
    builder.add_result(changed);
    builder.add_result(builder.add_value(builder.add_input(), 5));
    return {std::move(builder).build()};
}

}  // namespace

TEST_CASE("operands, control edges, results, inputs and mutations among the members stay", "[induced]") {
    auto const g = graph_to_cut();
    auto const all_but_two = make_dataflow(induced(g, support::set_of(0b11011, 5)), memory_of(g));
    CHECK(all_but_two.allowed_overwrites(1).size() == 1);
    CHECK(all_but_two.control_predecessors(2).size() == 1);
    CHECK(all_but_two.is_input(3));
    CHECK(std::ranges::equal(all_but_two.results(), std::vector{all_but_two.writes(3).front()}));
    auto const first = make_dataflow(induced(g, support::set_of(0b00111, 5)), memory_of(g));
    CHECK(std::ranges::equal(first.operands(2), std::vector<value_index>{0, 1, 0}));
    CHECK(std::ranges::equal(first.mutations(2), std::vector<overwrite>{{0, 1}}));
    CHECK(first.is_view(first.writes(2)[1]));
    CHECK(first.is_result(first.writes(2)[0]));
    auto const alone = make_dataflow(induced(g, support::set_of(0b01010, 5)), memory_of(g));
    CHECK(alone.reads(0).empty());  // its operand is outside
    CHECK(alone.allowed_overwrites(0).empty());
}

TEST_CASE("what is viewed or overwritten must be inside", "[induced]") {
    auto const g = graph_to_cut();
    CHECK(support::throws<bad_graph>([&] { return induced(g, support::set_of(0b00101, 5)); },
                                     {"vertex 2 overwrites a value of vertex 1"}));
    CHECK(support::throws<bad_graph>([&] { return induced(g, support::set_of(0b00110, 5)); },
                                     {"vertex 2 is a view of a value of vertex 0"}));
}

TEST_CASE("a result stays one where the vertex that says so is outside", "[induced]") {
    graph_with_result const g{{{{.outputs = {{7}}}, {.outputs = {{3, 0, 0}}}, {.outputs = {{4}}}}}, 7};
    auto const flow = make_dataflow(induced(g, support::set_of(0b110, 3)), memory_of(g));
    CHECK(flow.size(flow.writes(0).front()) == 3);
    CHECK(std::ranges::equal(flow.results(), std::vector{flow.writes(0).front()}));
}
