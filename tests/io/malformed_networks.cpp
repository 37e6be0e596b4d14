// Covers io/json_network.hpp, io/bad_file.hpp.
#include <cstddef>
#include <string>
#include <vector>

#include <repebble/graph/error.hpp>
#include <repebble/io/dot_graph.hpp>
#include <repebble/io/json_network.hpp>

#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "support/throws.hpp"

using namespace repebble;
using io::parse_network;

namespace {

/// A graph with the nodes 0 (memory 8), 1 (memory 12 in two outputs) and 2 (memory 8), and this behind the nodes.
auto three(std::string const& rest) -> std::string {
    return R"({"nodes":[{"id":0,"time":1,"memory":8},{"id":1,"time":1,"memory":12,"outputs_memory":[4,8]},
        {"id":2,"time":1,"memory":8}])" +
           rest + "}";
}

/// A graph 0 -> 1 whose node 1 has these fields beside its id.
auto second(std::string const& fields) -> std::string {
    return R"({"nodes":[{"id":0,"time":1,"memory":8},{"id":1,)" + fields + R"(}],"edges":[[0,1]]})";
}

/// A graph 0 -> 1 -> 2, 0 -> 3 whose nodes have these fields beside id and time.
auto four(std::string const& zero, std::string const& one, std::string const& two, std::string const& three) {
    auto const node = [](int id, std::string const& fields) {
        return "{\"id\":" + std::to_string(id) + ",\"time\":0," + fields + "}";
    };
    return "{\"nodes\":[" + node(0, zero) + "," + node(1, one) + "," + node(2, two) + "," + node(3, three) +
           "],\"edges\":[[0,1],[1,2],[0,3]]}";
}

struct malformed {
    std::string text;
    std::string names;  // what the message must say
};

auto not_json() -> std::vector<malformed> {
    return {
        {"", "line 1, byte 0: not JSON"},
        {"hello", "line 1, byte 1: not JSON"},
        {"{\"nodes\":[\n{\"id\":0,\n\"time\":nan}]}", "line 3, byte 29: not JSON"},
        {R"({"nodes":[{"id":0,"time":1,"memory":NaN}]})", "byte 37: not JSON"},
        {R"({"nodes":[]} {})", "byte 14: not JSON"},
        {R"({"nodes":[]},)", "byte 13: not JSON"},
        {R"({"nodes":[)", "byte 10: not JSON"},
        {R"({"nodes":[],})", "byte 13: not JSON"},
        {R"({"nodes":[{"id":0,"time":1,"memory":1e999}]})", "number overflow"},
        {"{\"name\":\"\xff\"}", "byte 10: not JSON"},
        {R"({"nodes":[],"nodes":[]})", "field \"nodes\" occurs twice in the outermost object"},
        {R"({"nodes":[{"id":0},{"id":1,"time":1,"time":2}]})", "field \"time\" occurs twice in nodes[1]"},
        {R"({"nodes":[{"id":0,"x":{"y":[0,{"z":1,"z":1}]}}]})", "occurs twice in nodes[0].x.y[1]"},
        {R"({"nodes":[)" + std::string(1'000'000, '['), "nested deeper than 100 levels in nodes[0]"},
    };
}

auto not_of_the_form() -> std::vector<malformed> {
    return {
        {"[]", "the graph: must be an object, not an array"},
        {"3", "the graph: must be an object, not 3"},
        {"{}", "has no field 'nodes'"},
        {R"({"nodes":{}})", "nodes must be an array, not an object"},
        {R"({"nodes":[7]})", "nodes[0]: must be an object, not 7"},
        {R"({"nodes":[],"name":4})", "name must be a string, not 4"},
        {R"({"nodes":[],"time_unit":"s","link":7})", "the graph: link must be a string or an object, not 7"},
        {R"({"nodes":[],"time_unit":"s","link":""})", "the graph: link is empty"},
        {R"({"nodes":[],"time_unit":"s","link":{"latency":"1us"}})", "the graph: link: has no field 'bandwidth'"},
        {R"({"nodes":[],"time_unit":"s","link":{"bandwidth":4}})", "link: bandwidth must be a string, not 4"},
        {R"({"nodes":[],"time_unit":"s","link":{"bandwidth":"4GB/s","speed":1}})",
         "link: has an unknown field 'speed'"},
        {R"({"nodes":[],"host_budget":1.5})", "the graph: host_budget must be an integer, not 1.5"},
        {R"({"nodes":[{"id":0,"time":1,"memory":8},{"time":1,"memory":8}]})", "nodes[1]: has no field 'id'"},
        {R"({"nodes":[{"id":"0","time":1,"memory":8}]})", "nodes[0]: id must be an integer, not \"0\""},
        {R"({"nodes":[{"id":0.0,"time":1,"memory":8}]})", "nodes[0]: id must be an integer, not 0.0"},
        {R"({"nodes":[{"id":-1,"time":1,"memory":8}]})", "nodes[0]: id is out of range: -1"},
        {R"({"nodes":[{"id":1,"time":1,"memory":8}]})", "nodes[0]: id 1 is out of range: there are 1 nodes"},
        {R"({"nodes":[{"id":4294967296,"time":1,"memory":8}]})", "nodes[0]: id is out of range: 4294967296"},
        {R"({"nodes":[{"id":0,"time":1,"memory":8},{"id":0,"time":1,"memory":8}]})", "nodes[1]: id 0 occurs twice"},
        {second(R"("memory":8)"), "node 1: has no field 'time'"},
        {second(R"("time":8)"), "node 1: has no field 'memory'"},
        {second(R"("time":null,"memory":8)"), "node 1: time must be an integer, not null"},
        {second(R"("time":"fast","memory":8)"), "node 1: time must be an integer, not \"fast\""},
        {second(R"("time":1.5,"memory":8)"), "node 1: time is not a whole number: 1.5"},
        {second(R"("time":1e19,"memory":8)"), "node 1: time is above 2^63 - 1"},
        {second(R"("time":-1e300,"memory":8)"), "node 1: time is not a whole number"},
        {second(R"("time":9223372036854775808,"memory":8)"), "node 1: time is above 2^63 - 1: 9223372036854775808"},
        {second(R"("time":1,"memory":18446744073709551616)"), "node 1: memory must be an integer"},
        {second(R"("time":1,"memory":8.0)"), "node 1: memory must be an integer, not 8.0"},
        {second(R"("time":1,"memory":"8")"), "node 1: memory must be an integer, not \"8\""},
        {second(R"("time":1,"memory":8,"workspace":[])"), "node 1: workspace must be an integer, not an array"},
        {second(R"("time":1,"memory":8,"recomputable":1)"), "node 1: recomputable must be true or false, not 1"},
        {second(R"("time":1,"memory":8,"mirror":-1)"), "node 1: mirror is out of range: -1"},
        {second(R"("time":1,"memory":8,"mirror":4294967296)"), "node 1: mirror is out of range: 4294967296"},
        {second(R"("time":1,"memory":8,"mirror":1.0)"), "node 1: mirror must be an integer, not 1.0"},
        {second(R"("time":1,"memory":8,"mirror":true)"), "node 1: mirror must be an integer, not true"},
        {second(R"("time":1,"memory":8,"inplace":"no")"), "node 1: inplace must be true or false, not \"no\""},
        {second(R"("time":1,"memory":8,"bwd_needs_inputs":null)"), "node 1: bwd_needs_inputs must be true or false"},
        {second(R"("time":1,"memory":8,"has_gradient":1)"), "node 1: has_gradient must be true or false"},
        {second(R"("time":1,"memory":8,"bwd_needs_output":{})"), "node 1: bwd_needs_output must be true or false"},
        {second(R"("time":1,"memory":8,"phase":"sideways")"),
         "node 1: phase must be forward or backward, not \"sideways\""},
        {second(R"("time":1,"memory":8,"phase":0)"), "node 1: phase must be a string, not 0"},
        {second(R"("time":1,"memory":8,"name":[])"), "node 1: name must be a string, not an array"},
        {second(R"("time":1,"memory":8,"op":1)"), "node 1: op must be a string, not 1"},
        {second(R"("time":1,"memory":8,"outputs_memory":8)"), "node 1: outputs_memory must be an array, not 8"},
        {second(R"("time":1,"memory":0,"outputs_memory":[])"), "node 1: outputs_memory is empty"},
        {second(R"("time":1,"memory":8,"outputs_memory":[8.0])"), "node 1: outputs_memory must be an integer, not 8.0"},
        {second(R"("time":0,"memory":0,"alias_of":-1)"), "node 1: alias_of is out of range: -1"},
        {second(R"("time":0,"memory":0,"alias_of":"0")"), "node 1: alias_of must be an integer, not \"0\""},
        {second(R"("time":0,"memory":0,"inplace_src":true)"), "node 1: inplace_src must be an integer, not true"},
        {second(R"("time":1,"memory":8,"must_keep":"yes")"),
         "node 1: must_keep must be true, false or a list of outputs, not \"yes\""},
        {second(R"("time":1,"memory":8,"must_recompute":[-1])"), "node 1: must_recompute is out of range: -1"},
        {three(R"(,"edges":{"0":1})"), "edges must be an array, not an object"},
        {three(R"(,"edges":null)"), "edges must be an array, not null"},
        {three(R"(,"edges":[[0,1],1])"), "edges[1]: must be a pair of node ids"},
        {three(R"(,"edges":[[0,1],[0]])"), "edges[1]: must be a pair of node ids"},
        {three(R"(,"edges":[[0,1,2]])"), "edges[0]: must be a pair of node ids"},
        {three(R"(,"edges":[[0,"1"]])"), "edges[0]: a node id must be an integer, not \"1\""},
        {three(R"(,"edges":[[0,1],[-1,2]])"), "edges[1]: a node id is out of range: -1"},
        {three(R"(,"edges":[[0,1]],"edge_outputs":1)"), "edge_outputs must be an array, not 1"},
        {three(R"(,"edges":[[0,1]],"edge_outputs":[[0]])"),
         "edge_outputs[0]: must be an array of two node ids and the"},
        {three(R"(,"edges":[[1,2]],"edge_outputs":[[1,0,0]])"), "edge_outputs[0] (edge 1 -> 0): there is no such edge"},
        {three(R"(,"edges":[[1,2]],"edge_outputs":[[1,2,"a"]])"),
         "(edge 1 -> 2): an output must be an integer, not \"a\""},
        {three(R"(,"edges":[[1,2]],"edge_outputs":[[1,2,-1]])"), "(edge 1 -> 2): an output is out of range: -1"},
        {three(R"(,"edges":[[1,2]],"edge_outputs":[[1,2,0],[1,2,1]])"),
         "edge_outputs[1] (edge 1 -> 2): the edge has an entry"},
    };
}

auto not_a_network() -> std::vector<malformed> {
    return {
        {second(R"("time":1,"memory":8,"bwd_needs_inputs":[0])"),
         "node 1: bwd_needs_inputs: lists operands that are not"},
        {second(R"("time":1,"memory":8,"reads":[[0,0]],"bwd_needs_inputs":[1])"), "node 1: bwd_needs_inputs: lists"},
        {second(R"("time":1,"memory":8,"bwd_needs_output":[1])"), "node 1: bwd_needs_output: output 1 is out of range"},
        {R"({"nodes":[],"link":"pcie4"})", "the network: has a link, and the unit of its times is not known"},
        {R"({"nodes":[],"time_unit":"s","links":"pcie4","host_bugdet":1})", "'host_bugdet'; is 'host_budget' meant?"},
        {three(R"(,"edges":[[0,1],[0,3]])"), "edge 0 -> 3: vertex 3 is out of range: the graph has 3"},
        {three(R"(,"edges":[[1,2]],"edge_outputs":[[1,2,2]])"), "edge 1 -> 2: reads output 2, but node 1 has 2"},
        {second(R"("time":1,"memory":8,"inplace_src":7)"), "node 1: inplace_src 7 is not a node that it reads"},
        {second(R"("time":0,"memory":0,"alias_of":1)"), "node 1: alias_of 1: a node cannot be a view of itself"},
        {second(R"("time":0,"memory":0,"alias_of":2)"), "node 1: alias_of 2: out of range: there are 2 nodes"},
        {second(R"("time":0,"memory":4,"alias_of":0)"), "node 1: is a view (alias_of 0), but its memory is 4"},
        {second(R"("time":0,"memory":0,"alias_of":0,"outputs":[])"), "node 1: outputs of a view must be an array"},
        {second(R"("time":0,"memory":0,"alias_of":0,"outputs":3)"), "node 1: outputs of a view must be an array"},
        {four(R"("memory":8)", R"("memory":8)", R"("memory":0,"alias_of":0)", R"("memory":8)"),
         "node 2: alias_of 0: it reads neither that node nor a view of it"},
        {four(R"("memory":8)", R"("memory":8)", R"("memory":8)", R"("memory":0,"alias_of":1)"),
         "node 3: alias_of 1: it reads neither that node nor a view of it"},
        {four(R"("memory":0,"alias_of":3)", R"("memory":8)", R"("memory":8)", R"("memory":8)"),
         "node 0: alias_of 3: it reads neither that node nor a view of it"},
        {second(R"("time":1,"memory":8,"mirror":2,"phase":"backward")"), "node 1: mirror 2: is of the backward phase"},
        {second(R"("time":1,"memory":8,"mirror":1,"recomputable":false)"), "node 1: mirror 1: is not recomputable"},
        {second(R"("time":0,"memory":0,"mirror":3,"alias_of":0)"), "node 1: mirror 3: is a view: say it of node 0"},
        {second(R"("time":1,"memory":8,"must_keep":[1])"), "node 1: must_keep: output 1 is out of range"},
        {second(R"("time":1,"memory":8,"must_recompute":[0,0])"), "node 1: must_recompute: its outputs must be asc"},
        {second(R"("time":1,"memory":8,"must_keep":true,"must_recompute":[0])"),
         "node 1: must_recompute: output 0 is said of must_keep, too"},
        {second(R"("time":1,"memory":8,"must_recompute":true,"result":true)"),
         "node 1: must_recompute: output 0 is a result, which stays to the end"},
        {second(R"("memory":8,"must_recompute":true,"input":true)"), "node 1: must_recompute: output 0 is an input's"},
        {second(R"("time":1,"memory":8,"must_recompute":true,"phase":"backward")"),
         "node 1: must_recompute: output 0 is of the backward phase"},
        {second(R"("time":1,"memory":8,"must_recompute":true,"recomputable":false)"),
         "node 1: must_recompute: output 0 is not recomputable"},
        {second(R"("time":1,"memory":8,"must_recomputed":true)"), "'must_recomputed'; is 'must_recompute' meant?"},
    };
}

auto wrong_weights() -> std::vector<malformed> {
    return {
        {R"({"nodes":[],"time_unit":"s","link":"fast"})",
         "link 'fast' is neither a bandwidth such as 12GB/s nor one of"},
        {R"({"nodes":[],"time_unit":"s","link":{"bandwidth":"4GB/s","latency":"soon"}})",
         "link '4GB/s,soon': 'soon' is neither a latency such as 10us nor half-duplex"},
        {R"({"nodes":[],"host_budget":-1})", "the network: host_budget is negative: -1"},
        {R"({"nodes":[],"host_budget":"much"})", "size 'much' does not begin with a number"},
        {second(R"("time":-3,"memory":8)"), "node 1: time is negative: -3"},
        {second(R"("time":-3.0,"memory":8)"), "node 1: time is negative: -3"},
        {second(R"("time":3,"memory":-8)"), "node 1: memory is negative: -8"},
        {second(R"("time":3,"memory":8,"workspace":-1)"), "node 1: workspace is negative: -1"},
        {second(R"("time":1,"memory":8,"outputs_memory":[9,-1])"), "node 1: outputs_memory"},
        {second(R"("time":1,"memory":8,"outputs_memory":[-1,9])"), "node 1: outputs_memory is negative: -1"},
        {second(R"("time":1,"memory":8,"outputs_memory":[4,5])"),
         "node 1: outputs_memory has a sum above its memory, which is 8"},
        {second(R"("time":1,"memory":8,"outputs_memory":[4,3])"),
         "node 1: outputs_memory has the sum 7, but its memory is 8"},
        {second(R"("time":1,"memory":8,"outputs_memory":[9223372036854775807,9223372036854775807])"),
         "node 1: outputs_memory"},
        {second(R"("time":1,"memory":9223372036854775807)"), "node 1: the sum of all bytes overflows 64 bits"},
        {second(R"("time":9223372036854775807,"memory":8)"), "node 1: the sum of all times overflows 64 bits"},
        {second(R"("time":1,"memory":8,"workspace":9223372036854775792)"), "node 1: the sum of all bytes overflows"},
    };
}

template <class Error>
void check_all(std::vector<malformed> const& table) {
    for (auto const& [text, names] : table) {
        auto const message = testing::message_of<Error>([&] { static_cast<void>(parse_network(text, "bad.json")); });
        INFO(text.substr(0, 300) << "\n" << message);
        CHECK(message.starts_with("bad.json: "));
        CHECK(message.find(names) != std::string::npos);
        CHECK(message.size() < 300);
    }
}

}  // namespace

TEST_CASE("text that is not JSON is rejected with line and byte, or the path of the field", "[io]") {
    check_all<bad_file>(not_json());
}

TEST_CASE("a zero byte ends neither a text nor a message", "[io]") {
    std::string const zero(1, '\0');
    CHECK_THROWS_WITH(io::parse_network(R"({"nodes":[]})" + zero + "[]", "a.json"),
                      "a.json: line 1, byte 13: not JSON: a zero byte");
    CHECK_THROWS_WITH(io::parse_dot("digraph { }" + zero + "}", "a.dot"),
                      "a.dot: line 1: '\\0' begins neither a name nor anything else of DOT");
}

TEST_CASE("JSON that is not a graph file is rejected with the node, edge and field", "[io]") {
    check_all<bad_file>(not_of_the_form());
}

TEST_CASE("a graph that is not a network is rejected with the node or edge", "[io]") {
    check_all<bad_graph>(not_a_network());
}

TEST_CASE("weights that cannot be are refused with the node", "[io]") { check_all<bad_weight>(wrong_weights()); }

TEST_CASE("a cycle is refused with its nodes", "[io]") {
    check_all<not_a_dag>({
        {three(R"(,"edges":[[0,1],[2,2]])"), "vertex 2 reads itself"},
        {three(R"(,"edges":[[0,1],[1,2],[2,1]])"), "the graph has a cycle: 1 -> 2 -> 1"},
        {three(R"(,"edges":[[0,1],[1,2],[2,0]])"), "the graph has a cycle: 0 -> 1 -> 2 -> 0"},
    });
}

TEST_CASE("a network file is nested a hundred levels deep at most", "[io]") {
    auto const nested = [](std::size_t levels) {  // the outermost object is the first
        return R"({"nodes":[],"edges":[],"extra":)" + std::string(levels - 1, '[') + std::string(levels - 1, ']') + "}";
    };
    CHECK(parse_network(nested(100)).nodes().empty());
    CHECK_THROWS_AS(parse_network(nested(101)), bad_file);
}

TEST_CASE("edges that each read thousands of outputs are more than a file may mean", "[io]") {
    auto const text = [](std::size_t count) {
        std::string nodes = R"({"id":0,"time":1,"memory":0,"outputs_memory":[0)", edges;
        for (std::size_t k = 1; k < count; ++k) nodes += ",0";
        nodes += "]}";
        for (std::size_t k = 1; k < count; ++k) {
            nodes += ",{\"id\":" + std::to_string(k) + R"(,"time":1,"memory":8})";
            edges += (k > 1 ? ",[0," : "[0,") + std::to_string(k) + "]";
        }
        return "{\"nodes\":[" + nodes + "],\"edges\":[" + edges + "]}";
    };
    CHECK(parse_network(text(300)).operands(299).size() == 300);
    CHECK(support::throws<limit_reached>([&] { return parse_network(text(4'000), "wide.json"); },
                                         {"wide.json: edge 0 -> ", "of memory that are allowed"}));
}
