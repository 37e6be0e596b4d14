// Covers graph/adapt/induced.hpp, graph/adapt/nested_range.hpp, graph/bidirectional.hpp, graph/csr_graph.hpp,
// graph/dataflow/make_dataflow.hpp, graph/topological_order.hpp.
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/adapt/induced.hpp>
#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/bidirectional.hpp>
#include <repebble/graph/csr_graph.hpp>
#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/graph/topological_order.hpp>

#include "support/archetypes.hpp"
#include "support/brute_force.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/throws.hpp"

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
    CHECK(rc::check([](std::uint64_t seed) {
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
    CHECK(value_of(part, 2, 0) == output_ref<int>{1, 1});
    auto const flow = make_dataflow(part, memory_of(g));
    CHECK(flow.writes(1).front() == flow.writes(0)[1]);
    CHECK(flow.writes(2).front() == flow.writes(0)[1]);
    CHECK(flow.size(flow.writes(0)[1]) == 2);  // as its new first producer says
    auto const last = make_dataflow(induced(g, support::set_of(0b10100, 5)), memory_of(g));
    CHECK(last.size(0) == 3);
    CHECK(last.producers(0).size() == 1);
}
