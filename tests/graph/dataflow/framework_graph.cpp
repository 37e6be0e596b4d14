// Covers graph/dataflow/make_dataflow.hpp, graph/dataflow/dataflow_builder.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <string>
#include <vector>

#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/dataflow/make_dataflow.hpp>

#include "support/catch.hpp"
#include "support/ints.hpp"

using namespace repebble;
using support::ints;

namespace {

/// A node of a framework's graph with all that a graph can say; references are {node, output}.
struct ir_node {
    using reference = output_ref<int>;
    std::vector<reference> operands{};
    std::vector<int> after{};                     ///< control dependencies
    std::size_t outputs = 1;                      ///< number of outputs
    std::vector<std::vector<reference>> views{};  ///< per output: what it is a view of
    std::vector<std::uint32_t> results{};
    bool is_input = false;
    bool is_donated = false;
    std::vector<std::vector<reference>> mutates{};  ///< per output
    bool in_place = false;                          ///< may write over any operand
    std::vector<reference> same{};                  ///< the value that its output is, too
};
struct ir {
    std::vector<ir_node> nodes;
};

auto row(std::vector<std::vector<ir_node::reference>> const& rows, std::uint32_t j) {
    return j < rows.size() ? rows[j] : std::vector<ir_node::reference>{};
}

/// The message of the bad_graph that a graph gives.
auto refusal(ir const& g) -> std::string;

}  // namespace

template <>
struct repebble::graph_traits<ir> {
    static auto vertices(ir const& g) { return std::views::iota(0, static_cast<int>(g.nodes.size())); }
    static auto vertex_index(ir const&, int v) -> std::size_t { return static_cast<std::size_t>(v); }
    static auto node(ir const& g, int v) -> ir_node const& { return g.nodes[static_cast<std::size_t>(v)]; }
    static auto successors(ir const& g, int v) -> std::vector<int> {
        std::vector<int> all;
        for (int w = 0; w < static_cast<int>(g.nodes.size()); ++w) {
            bool reads = std::ranges::find(node(g, w).after, v) != node(g, w).after.end();
            for (auto const& r : node(g, w).operands) reads = reads || r.vertex == v;
            if (reads) all.push_back(w);
        }
        return all;
    }
    static auto output_count(ir const& g, int v) -> std::size_t { return node(g, v).outputs; }
    static auto operands(ir const& g, int v) { return node(g, v).operands; }
    static auto views(ir const& g, int v, std::uint32_t j) { return row(node(g, v).views, j); }
    static auto is_result(ir const& g, int v, std::uint32_t j) -> bool {
        return std::ranges::find(node(g, v).results, j) != node(g, v).results.end();
    }
    static auto is_input(ir const& g, int v) -> bool { return node(g, v).is_input; }
    static auto is_donated(ir const& g, int v) -> bool { return node(g, v).is_donated; }
    static auto mutates(ir const& g, int v, std::uint32_t j) { return row(node(g, v).mutates, j); }
    static auto value_of(ir const& g, int v, std::uint32_t j) -> output_ref<int> {
        return node(g, v).same.empty() ? output_ref<int>{v, j} : node(g, v).same.front();
    }
    static auto may_overwrite(ir const& g, int v, std::uint32_t, output_ref<int>) -> bool {
        return node(g, v).in_place;
    }
};

namespace {

/// Of 8 bytes per output.
auto flow_of(ir const& g) {
    return make_dataflow(g, weights{unit_weight{}, [](int, std::uint32_t) { return 8; }});
}
auto refusal(ir const& g) -> std::string {
    try {
        static_cast<void>(flow_of(g));
    } catch (bad_graph const& e) {
        return e.what();
    }
    return "none";
}

}  // namespace

TEST_CASE("make_dataflow: operands keep their order and repeat, reads are a set") {
    ir const g{{{}, {}, {.operands = {{1, 0}, {0, 0}, {1, 0}}}}};
    auto const flow = flow_of(g);
    CHECK(ints(flow.operands(2)) == std::vector<int>{1, 0, 1});
    CHECK(ints(flow.reads(2)) == std::vector<int>{0, 1});
}

TEST_CASE("make_dataflow: an edge along which nothing is read is a control edge") {
    ir const g{{{}, {}, {.operands = {{0, 0}}, .after = {1}}}};
    auto const flow = flow_of(g);
    CHECK(ints(flow.control_predecessors(2)) == std::vector<int>{1});
    CHECK(ints(flow.reads(2)) == std::vector<int>{0});
    CHECK(ints(flow.graph().predecessors(2)) == std::vector<int>{0, 1});
    CHECK(flow.is_sink(1));
}

TEST_CASE("make_dataflow: one output is a view of one operand, or of a view, while another owns its storage") {
    ir const g{{{},
                {},
                {.operands = {{0, 0}, {1, 0}}, .outputs = 2, .views = {{{0, 0}}, {}}},
                {.operands = {{2, 0}, {1, 0}}, .views = {{{2, 0}}}}}};
    auto const flow = flow_of(g);
    auto const a = flow.writes(0).front(), slice = flow.writes(2)[0], own = flow.writes(2)[1];
    CHECK(ints(flow.owners(slice)) == std::vector<int>{static_cast<int>(a)});
    CHECK((flow.size(slice) == 0 && flow.size(own) == 8 && !flow.is_view(own)));
    CHECK(ints(flow.owners(flow.writes(3).front())) == std::vector<int>{static_cast<int>(a)});
}

TEST_CASE("make_dataflow: results by trait and by weight; inputs stay unless they are donated or overwritten") {
    ir const g{{{.is_input = true},
                {.is_input = true, .is_donated = true},
                {.is_input = true},
                {.operands = {{0, 0}, {1, 0}, {2, 0}}, .outputs = 2, .results = {1}, .mutates = {{{2, 0}}}}}};
    auto const flow = flow_of(g);
    CHECK((flow.is_input(0) && flow.is_input(2) && !flow.is_input(3)));
    CHECK((flow.time(0) == 0 && flow.time(3) == 1 && !flow.recomputable(0)));
    CHECK(ints(flow.results()) ==
          std::vector<int>{static_cast<int>(flow.writes(0).front()), static_cast<int>(flow.writes(3)[1])});
    CHECK(flow.mutations(3).front() == overwrite{0, flow.writes(2).front()});
    auto const by_weight = make_dataflow(g, weights{unit_weight{}, [](int, std::uint32_t) { return 8; }, zero_weight{},
                                                    always{}, [](int v, std::uint32_t j) { return v == 3 && j == 0; }});
    CHECK(by_weight.results().size() == 3);
}

TEST_CASE("make_dataflow: who reads the value that another operation overwrites comes before") {
    ir const g{{{},
                {.operands = {{0, 0}}, .mutates = {{{0, 0}}}},
                {.operands = {{0, 0}}, .views = {{{0, 0}}}},
                {.operands = {{2, 0}}}}};
    auto const flow = flow_of(g);
    CHECK(ints(flow.control_predecessors(1)) == std::vector<int>{2, 3});
    CHECK(ints(flow.order()) == std::vector<int>{0, 2, 3, 1});
}

TEST_CASE("make_dataflow: overwrites are allowed by the graph, of values that are read") {
    ir const g{{{}, {}, {.operands = {{0, 0}, {1, 0}}, .in_place = true}}};
    auto const flow = flow_of(g);
    REQUIRE(flow.allowed_overwrites(2).size() == 2);
    CHECK(flow.allowed_overwrites(2)[1] == overwrite{0, flow.writes(1).front()});
}

TEST_CASE("make_dataflow: what cannot be is refused, and the message names the vertex") {
    CHECK(refusal({{{}, {.operands = {{0, 1}}}}}) == "vertex 1 reads output 1 of vertex 0, which does not exist");
    CHECK(refusal({{{}, {.operands = {{7, 0}}}}}).find("vertex 7, which does not exist") != std::string::npos);
    CHECK(refusal({{{}, {.views = {{{0, 0}}}}}}) == "operation 1 writes a view of value 0, which it does not read");
    CHECK(refusal({{{.views = {{{1, 0}}}}, {}}}) ==
          "vertex 0 is a view of output 0 of vertex 1, which it does not depend on");
    CHECK(refusal({{{}, {.operands = {{0, 0}}}, {.operands = {{1, 0}}, .views = {{{0, 0}}}}}}) ==
          "operation 2 writes a view of value 0, which it does not read");
    CHECK(refusal({{{}, {.operands = {{0, 0}}, .is_input = true}}}) == "operation 1 is an input and reads value 0");
    CHECK(refusal({{{.results = {0}}, {.operands = {{0, 0}}, .mutates = {{{0, 0}}}}}}) ==
          "value 0 is a result, and operation 1 overwrites it");
    CHECK(refusal({{{}, {.operands = {{0, 0}}, .mutates = {{{0, 0}}}}, {.operands = {{0, 0}}, .mutates = {{{0, 0}}}}}})
              .find("value 0 is overwritten by operation 1 and by 2") == 0);
    CHECK(refusal({{{}, {.operands = {{0, 0}}, .views = {{{0, 0}}}, .mutates = {{{0, 0}}}}}}) ==
          "output 0 of operation 1 overwrites value 0 and is a view");
}

TEST_CASE("make_dataflow: an input that is overwritten through a view is no result") {
    ir const g{{{.is_input = true},
                {.operands = {{0, 0}}, .views = {{{0, 0}}}},
                {.operands = {{1, 0}}, .results = {0}, .mutates = {{{1, 0}}}}}};
    auto const flow = flow_of(g);
    CHECK(ints(flow.results()) == std::vector<int>{static_cast<int>(flow.writes(2).front())});
}

TEST_CASE("make_dataflow: an edge from another producer of an operand is no control edge") {
    ir const g{{{}, {.same = {{0, 0}}}, {.operands = {{0, 0}}, .after = {1}}}};
    auto const flow = flow_of(g);
    CHECK(flow.producers(flow.reads(2).front()).size() == 2);
    CHECK(flow.control_predecessors(2).empty());
}

TEST_CASE("make_dataflow: a reader that comes after the overwriting operation is named") {
    CHECK(refusal({{{}, {.operands = {{0, 0}}, .mutates = {{{0, 0}}}}, {.operands = {{0, 0}, {1, 0}}}}}) ==
          "operation 2 reads value 0 and comes after operation 1, which overwrites it with output 0");
}

TEST_CASE("dataflow_builder: a mutation writes no more than the value has, and an operation does not precede itself") {
    dataflow_builder builder;
    auto const u = builder.add_operation(1);
    auto const x = builder.add_value(u, 4);
    CHECK_THROWS_WITH(builder.add_control_edge(u, u), "operation 0 has a control edge to itself");
    auto const v = builder.add_operation(1);
    builder.add_value(v, 5);
    builder.add_read(v, x);
    builder.add_mutation(v, 0, x);
    CHECK_THROWS_WITH(std::move(builder).build(), "output 0 of operation 1 overwrites value 0 of 4 bytes with 5");
}
