// Covers io/dot_network.hpp.
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/error.hpp>
#include <repebble/io/bad_file.hpp>
#include <repebble/io/dot_network.hpp>
#include <repebble/io/json_network.hpp>
#include <repebble/io/write_file.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/temporary_folder.hpp"
#include "support/throws.hpp"

using namespace repebble;
using io::parse_dot_network;

namespace {

template <class Error = bad_file>
auto refused_net(std::string const& text, std::initializer_list<std::string_view> words) -> bool {
    return support::throws<Error>([&] { return parse_dot_network(text, "n.dot"); }, words) &&
           support::throws<Error>([&] { return parse_dot_network(text, "n.dot"); }, {"n.dot: ", "line "});
}

/// A digraph in which each vertex takes 1 time unit and 4 bytes.
auto sized(std::string const& statements) -> std::string {
    return "digraph {\nnode [time=1, memory=4];\n" + statements + "\n}";
}

TEST_CASE("a network in DOT is that of the graph file with the same fields", "[io]") {
    auto const dot = parse_dot_network(R"(digraph net {
        graph [rankdir=LR, time_unit=us];
        w [input=true, donated=true, memory="1KiB", shape=box];
        a [time=1.5, memory=24, outputs_memory="8, 16", workspace=7, op=split, name="the first", recomputable=false];
        b [time=2, memory=0, alias_of=a, inplace=false];
        c [time=3, memory=8, mirror=2, inplace=true, inplace_src=b, bwd_needs_inputs=false, bwd_needs_output=false];
        d [time=4, memory=9, outputs_memory="4,5", phase=backward, result="1"];
        e [time=5, memory=1, phase=backward, result=true];
        w -> a; a -> b [outputs=1]; a -> c [outputs="0", color=red]; b -> c -> d; c -> d; d -> e [control=true]
    })");
    auto const json = io::parse_network(R"({"name": "net", "time_unit": "us", "nodes": [
        {"id": 0, "name": "w", "input": true, "donated": true, "memory": 1024},
        {"id": 1, "name": "the first", "op": "split", "time": 1.5, "memory": 24, "outputs_memory": [8, 16],
         "workspace": 7, "recomputable": false},
        {"id": 2, "name": "b", "time": 2, "memory": 0, "alias_of": 1},
        {"id": 3, "name": "c", "time": 3, "memory": 8, "mirror": 2, "inplace": true, "inplace_src": 2,
         "bwd_needs_inputs": false, "bwd_needs_output": false},
        {"id": 4, "name": "d", "time": 4, "memory": 9, "outputs_memory": [4, 5], "phase": "backward", "result": [1]},
        {"id": 5, "name": "e", "time": 5, "memory": 1, "phase": "backward", "result": true}],
        "edges": [[0, 1], [1, 2], [1, 3], [2, 3], [3, 4], [3, 4], [4, 5]],
        "edge_outputs": [[1, 2, 1], [1, 3, 0], [4, 5]]})");
    CHECK(io::to_json(dot) == io::to_json(json));
    CHECK(dot == json);
    CHECK(dot.node(1).time == 1500);
}

TEST_CASE("defaults in DOT hold for what is first mentioned after them, within their braces", "[io]") {
    auto const net = parse_dot_network(R"(digraph {
        node [time=1, memory=1]; a;
        node [memory=2];
        subgraph s { b; node [memory=3, op=x]; edge [control=true]; a -> c; { node [time=9] d } e }
        f; a -> g;
        c [memory=7]; c [time=8, memory="5B"] })");
    std::vector<std::int64_t> memory, time;
    std::string ops, names;
    for (auto const& node : net.nodes()) {
        memory.push_back(node.memory);
        time.push_back(node.time);
        ops += node.op.empty() ? "-" : node.op;
        names += node.name;
    }
    CHECK(names == "abcdefg");
    CHECK(memory == std::vector<std::int64_t>{1, 2, 5, 3, 3, 2, 2});
    CHECK(time == std::vector<std::int64_t>{1, 1, 8, 9, 1, 1, 1});
    CHECK(ops == "--xxx--");
    CHECK(net.outputs_read(0, 2).empty());
    CHECK(net.outputs_read(0, 6).size() == 1);
}

TEST_CASE("the attributes of an edge in DOT are those of all edges of its statement, not of those within braces",
          "[io]") {
    auto const net =
        parse_dot_network(sized("a -> b -> {c -> d; e} [control=true]; {f} [color=red]; f -> {} [control=true]"));
    auto const is_control = [&](std::uint32_t u, std::uint32_t v) { return net.outputs_read(u, v).empty(); };
    CHECK(is_control(0, 1));
    CHECK(is_control(1, 2));
    CHECK(is_control(1, 3));
    CHECK(is_control(1, 4));
    CHECK_FALSE(is_control(2, 3));
    CHECK(net.edges().size() == 5);
}

TEST_CASE("a network in DOT that is not valid is refused with its line", "[io]") {
    CHECK(refused_net("\ngraph { a -- b }", {"line 2", "direction", "'digraph'"}));
    CHECK(refused_net("digraph {\na [time=1]\n}",
                      {"line 2", "vertex \"a\"", "no attribute 'memory'", "node [memory=…]"}));
    CHECK(refused_net("digraph {\n\na [memory=1]; node [time=1] }", {"line 3", "vertex \"a\"", "no attribute 'time'"}));
    CHECK(refused_net(sized("a [\nmemroy=3]"), {"line 4", "'memroy'", "'memory' meant"}));
    CHECK(refused_net(sized("a -> b\n[Outputs=0]"), {"line 4", "'Outputs'", "'outputs' meant"}));
    CHECK(refused_net(sized("graph [timeunit=ms]"), {"line 3", "'timeunit'", "'time_unit' meant"}));
    CHECK(refused_net(sized("a -> b [memory=3]"), {"line 3", "'memory' is an attribute of vertices, not of edges"}));
    CHECK(refused_net(sized("a [control=true]"), {"line 3", "'control' is an attribute of edges, not of vertices"}));
    CHECK(refused_net(sized("memory=3"), {"line 3", "'memory' is an attribute of vertices, not of the graph"}));
    CHECK(refused_net(sized("{a b} [memory=3]"), {"line 3", "'memory' is an attribute of vertices"}));
    CHECK(refused_net(sized("{ time_unit=ms }"), {"line 3", "time_unit", "the whole graph"}));
    CHECK(refused_net(sized("time_unit=\nhours"), {"line 3", "time_unit", "hours"}));
    for (auto const* value :
         {"-1", "\"1.5\"", "many", "\"\"", "nan", "\"1e3\"", "\"8 MiBs\"", "99999999999999999999", "<4>", "\"9EiB\""})
        CHECK(refused_net(sized(std::string("\na [memory=") + value + "]"), {"line 4", "memory"}));
    for (auto const* value : {"-1", "0.5", "-0.5", "many", "\"\"", "nan", "inf", "\"0x10\"", "99999999999999999999",
                              "\"1e999\"", "\"1 ms\""})
        CHECK(refused_net(sized(std::string("\na [time=") + value + "]"), {"line 4", "time"}));
    CHECK(refused_net(sized("a [input=yes]"), {"line 3", "input must be true or false, not \"yes\""}));
    CHECK(refused_net(sized("a [result=\"0,\"]"), {"line 3", "result must be a list of outputs"}));
    CHECK(refused_net(sized("a [outputs_memory=\"4,,\"]"), {"line 3", "outputs_memory"}));
    CHECK(refused_net(sized("a [mirror=4294967296]"), {"line 3", "mirror is out of range"}));
    CHECK(refused_net(sized("a [phase=sideways]"), {"line 3", "phase must be forward or backward"}));
    CHECK(refused_net(sized("a [alias_of=b]"), {"line 3", "alias_of names no vertex: \"b\""}));
    CHECK(refused_net(sized("a [mutates=b]"), {"line 3", "mutates", "JSON only"}));
    CHECK(refused_net(sized("a -> b [outputs=\"0,-1\"]"), {"line 3", "outputs must be a list"}));
    CHECK(refused_net(sized("a; \"b\xff\""), {"line 3", "vertex", "not UTF-8"}));
    CHECK(refused_net(sized("a [op=\"b\xff\"]"), {"line 3", "op is not UTF-8"}));
}

TEST_CASE("what only the whole network in DOT shows is refused with names and lines", "[io]") {
    CHECK(
        refused_net<not_a_dag>(sized("a -> b\nb -> c -> \"b\""), {"cycle: \"b\" (line 3) -> \"c\" (line 4) -> \"b\""}));
    CHECK(refused_net<not_a_dag>(sized("a -> a"), {"cycle: \"a\" (line 3) -> \"a\""}));
    std::string many = "v0";
    for (int v = 1; v < 1000; ++v) many += "->v" + std::to_string(v);
    CHECK(refused_net<not_a_dag>(sized(many + "->v0"), {"\"v9\" (line 3) -> … (990 more) -> \"v0\""}));
    CHECK(refused_net<bad_graph>(
        sized("a\nb [outputs_memory=\"1,3\"]\nb -> c [outputs=2]"),
        {"edge \"b\" (line 4) -> \"c\" (line 5): reads output 2, but node \"b\" (line 4) has 2"}));
    CHECK(refused_net<bad_graph>(sized("a -> b [outputs=0, control=true]"),
                                 {"edge \"a\" (line 3) -> \"b\"", "order only"}));
    CHECK(refused_net<bad_graph>(sized("a; b [alias_of=a, memory=0]"),
                                 {"\"b\" (line 3)", "alias_of \"a\"", "reads neither"}));
    CHECK(refused_net<bad_graph>(sized("a [input=true]"), {"\"a\" (line 3)", "is an input, and its time is 1"}));
    CHECK(refused_net<bad_weight>(sized("a [memory=9223372036854775807]\nb"), {"node \"b\" (line 4)", "overflows"}));
    CHECK(refused_net<bad_weight>(sized("a [outputs_memory=\"1,2\"]"), {"node \"a\" (line 3)", "has the sum 3"}));
}

TEST_CASE("attributes of Graphviz are no fields, many and long ones either", "[io]") {
    std::string list;
    for (int k = 0; k < 100'000; ++k) list += "color" + std::to_string(k) + "=x ";
    auto const net = parse_dot_network(sized("a [label=\"{a|<p> memory}\", id=7, xlabel=<b>, " + list +
                                             "]; a:p:n -> b:s [constraint=false, label=\"4 MiB\"]; rankdir=TB"));
    CHECK(net.nodes().size() == 2);
    CHECK(net.node(0).extra.empty());
}

TEST_CASE("a short text in DOT that means too many edges, or is nested too deep, is refused as a network", "[io]") {
    std::string many;
    for (int k = 0; k < 3000; ++k) many += "a" + std::to_string(k) + " ";
    CHECK(refused_net(sized("{" + many + "} -> {" + many + "};"), {"line 3", "more than 4194304 edges"}));
    CHECK(refused_net(sized(std::string(1000, '{')), {"line 3", "deeper than 100"}));
}

TEST_CASE("a file of DOT is read, packed or not, and its times in a unit", "[io]") {
    testing::temporary_folder const folder;
    for (auto const* name : {"a.dot", "a.dot.gz"}) {
        io::write_file(folder / name, "digraph { node [time=0.5 memory=4] a -> b }");
        auto const net = io::read_dot_network(folder / name, "ms");
        CHECK(net.node(1).time == 500'000);
        CHECK(net.time_unit() == "ns");
    }
    CHECK(
        support::throws<bad_file>([&] { return io::read_dot_network(folder / "a.dot"); }, {"a.dot", "line 1", "time"}));
    CHECK(support::throws<bad_file>([&] { return io::read_dot_network(folder / "none.dot"); }, {"none.dot"}));
    auto const encoder = io::read_dot_network(std::string(REPEBBLE_SOURCE_DIR) + "/examples/data/encoder.dot");
    CHECK(encoder.nodes().size() == 15);
    CHECK(encoder.node(10).name == "norm_2");
    CHECK(encoder.node(10).memory == 512 << 10);
}

TEST_CASE("a spoiled network in DOT is refused with file and line, or is one that graph files can say",
          "[io][property]") {
    std::size_t refused = 0;
    std::string const text =
        "digraph g {\ntime_unit=ms; node [time=1.5, memory=\"4KiB\"];\na [outputs_memory=\"1KiB,3KiB\"]\n"
        "subgraph { edge [control=true] node [memory=8] b -> {c d} }\na -> b [outputs=\"0,1\"];\n"
        "d [result=true]; e [input=true, time=0]; e -> d; f [alias_of=a, memory=0]; a -> f }\n";
    CHECK(rc::check([&](std::uint64_t seed) {
        support::split_mix random(seed);
        for (int k = 0; k < 10; ++k) {
            auto spoiled = text;
            for (auto count = 1 + support::below(random, 4); count > 0 && !spoiled.empty(); --count) {
                auto const byte = std::string(1, static_cast<char>(support::below(random, 256)));
                spoiled.replace(support::below(random, spoiled.size()), support::below(random, 4),
                                support::pick(random, std::vector<std::string>{"", "{", "}", "[", "]", "\"", "-", ",",
                                                                               "9", ".", "e", " a ", "->", "=", byte}));
            }
            try {
                auto const net = parse_dot_network(spoiled, "n.dot");
                RC_ASSERT(io::parse_network(io::to_json(net).dump()) == net);
            } catch (error const& e) {
                std::string_view const what = e.what();
                RC_ASSERT(what.starts_with("n.dot: ") && what.find("line ") != what.npos);
                ++refused;
            }
        }
    }));
    CHECK(refused > 100);
}

}  // namespace
