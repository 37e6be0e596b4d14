// Covers io/json_network.hpp, io/network.hpp, io/network_node.hpp.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/io/json_network.hpp>
#include <repebble/io/parse_json.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>

#include "support/catch.hpp"
#include "support/folders.hpp"
#include "support/generators.hpp"
#include "support/temporary_folder.hpp"
#include "support/throws.hpp"

using namespace repebble;
using io::network;
using io::parse_network;
using support::throws;

namespace {

auto framework_case(char const* name) -> network {
    return io::read_network(support::source_dir() + "/tests/data/frameworks/" + name);
}

auto flow_of(network const& net) -> dataflow { return make_dataflow(net, net.weights()); }

template <class Range>
auto numbers(Range const& range) -> std::vector<std::uint32_t> {
    return {range.begin(), range.end()};
}

/// A graph file of nodes (their fields behind id and time) and what follows them.
auto graph_file(std::vector<std::string> const& fields, std::string const& rest) -> std::string {
    std::string text = "{\"nodes\":[";
    for (std::size_t id = 0; id < fields.size(); ++id)
        text += (id == 0 ? "{\"id\":" : ",{\"id\":") + std::to_string(id) + "," + fields[id] + "}";
    return text + "]," + rest + "}";
}

constexpr char const* eight = R"("time":1,"memory":8)";
constexpr char const* two_outputs = R"("time":1,"memory":12,"outputs_memory":[4,8])";

/// A network with every feature, by chance.
auto network_by_chance(support::split_mix& random) -> network {
    using support::below, support::chance;
    auto const n = static_cast<std::uint32_t>(1 + below(random, 9));
    std::vector<io::network_node> all(n);
    std::vector<io::network_edge> edges;
    for (std::uint32_t v = 0; v < n; ++v) {
        auto& node = all[v];
        node.outputs_memory.assign(1 + below(random, 3), 8);
        node.memory = static_cast<bytes>(8 * node.outputs_memory.size());
        for (std::uint32_t j = 0; j < node.outputs_memory.size(); ++j)
            if (chance(random, 20)) node.results.push_back(j);
        if (v == 0 || chance(random, 15)) {
            node.input = true;
            if (node.results.empty()) node.donated = chance(random, 50);
            continue;
        }
        node.time = support::between(random, 0, 9);
        std::vector<io::node_output> read;
        for (auto count = below(random, 4); count > 0; --count) {
            auto const u = static_cast<std::uint32_t>(below(random, v));
            read.push_back({u, static_cast<std::uint32_t>(below(random, all[u].outputs_memory.size()))});
        }
        if (chance(random, 30)) {
            node.reads.emplace();
            for (auto const& of : read) node.reads->push_back({.of = of});
            if (chance(random, 50)) node.reads->push_back({.outside = "x"});
        } else {
            for (auto const& of : read) edges.push_back({of.vertex, v, {of.output}});
        }
        if (chance(random, 30)) edges.push_back({static_cast<std::uint32_t>(below(random, v)), v, {}, true});
        if (read.empty()) continue;
        if (chance(random, 30)) node.may_overwrite.push_back({0, read.front()});
        if (node.outputs_memory.size() > 1 && chance(random, 30)) {
            node.views.push_back({1, read.back()});
            node.memory -= std::exchange(node.outputs_memory[1], 0);
        }
    }
    return network(std::move(all), std::move(edges));
}

/// The network of a file, which is also the one of the file written of it.
auto read_twice(std::string const& text) -> network {
    testing::temporary_folder const folder;
    auto net = parse_network(text);
    io::write_network(folder / "again.json", net);
    CHECK(io::read_network(folder / "again.json") == net);
    CHECK(parse_network(io::to_text(net)) == net);
    return net;
}

}  // namespace

TEST_CASE("a view may read other operands beside what it views", "[io][frameworks]") {
    auto const flow = flow_of(framework_case("view_two_reads.json"));
    CHECK(numbers(flow.owners(flow.writes(2)[0])) == numbers(flow.writes(0)));
    CHECK(flow.reads(2).size() == 2);
    std::vector<operation_index> const order{0, 1, 2, 3};
    CHECK(replay(flow, make_schedule(flow, order)).peak == 128);  // 1 is let go once 2 has run, 0 not before 3 has
}

TEST_CASE("a view of a view may name what it views directly", "[io][frameworks]") {
    auto const net = framework_case("vv_near.json");
    auto const flow = flow_of(net);
    CHECK(numbers(flow.owners(flow.writes(2)[0])) == numbers(flow.writes(0)));
    CHECK(net.storage_owners({2, 0}) == std::vector<std::uint32_t>{0});
}

TEST_CASE("an edge that reads no output keeps the order", "[io][frameworks]") {
    auto const flow = flow_of(framework_case("ctrl_empty.json"));
    CHECK(flow.reads(1).empty());
    CHECK(numbers(flow.control_predecessors(1)) == std::vector<std::uint32_t>{0});
    std::vector<operation_index> const wrong{1, 0};
    CHECK(verify_schedule(flow, make_schedule(flow, wrong)).broken.has_value());
}

TEST_CASE("an operation may read a value twice", "[io][frameworks]") {
    auto const net = framework_case("square.json");
    auto const flow = flow_of(net);
    CHECK(net.edges().size() == 1);
    CHECK(flow.reads(1).size() == 1);
    CHECK(numbers(flow.operands(1)) == std::vector<std::uint32_t>{0, 0});
}

TEST_CASE("every case of a framework is written and read again as the same", "[io][frameworks]") {
    for (auto const* name :
         {"view_two_reads.json", "vv_near.json", "ctrl_empty.json", "square.json", "reversible.json"}) {
        auto const net = framework_case(name);
        CHECK(read_twice(io::to_text(net)) == net);
    }
}

TEST_CASE("a network with every feature is written and read again as the same, and so is its dataflow", "[io]") {
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        support::split_mix random(seed);
        auto const net = network_by_chance(random);
        INFO(seed);
        auto const again = parse_network(io::to_text(net));
        REQUIRE(again == net);
        auto const flow = flow_of(net);
        REQUIRE(flow_of(again) == flow);
        for (std::uint32_t v = 0; v < net.nodes().size(); ++v) {
            std::vector<std::uint32_t> values;
            for (auto const& of : net.operands(v)) values.push_back(flow.writes(of.vertex)[of.output]);
            REQUIRE(numbers(flow.operands(v)) == values);
        }
    }
}

TEST_CASE("results are all outputs of a node, or those that it lists", "[io]") {
    auto const net = read_twice(
        graph_file({std::string(two_outputs) + R"(,"result":true)", std::string(two_outputs) + R"(,"result":[1])",
                    std::string(eight) + R"(,"result":false)", std::string(eight) + R"(,"result":[])"},
                   R"("edges":[[0,1],[1,2],[2,3]])"));
    CHECK(net.node(0).results == std::vector<std::uint32_t>{0, 1});
    auto const flow = flow_of(net);
    CHECK(numbers(flow.results()) ==
          std::vector<std::uint32_t>{flow.writes(0)[0], flow.writes(0)[1], flow.writes(1)[1]});
    CHECK(io::parse_json(io::to_text(net)).at("nodes").at(0).at("result") == true);
}

TEST_CASE("inputs are there at the start, and stay unless they are donated", "[io]") {
    auto const net =
        read_twice(graph_file({R"("memory":8,"input":true)", R"("memory":4,"input":true,"donated":true)", eight},
                              R"("edges":[[0,2],[1,2]])"));
    auto const flow = flow_of(net);
    CHECK((flow.is_input(0) && flow.is_input(1) && !flow.is_input(2)));
    CHECK((flow.is_result(flow.writes(0)[0]) && !flow.is_result(flow.writes(1)[0])));
    CHECK(net.node(0).time == 0);
}

TEST_CASE("a mutation lies in the storage of what it overwrites", "[io]") {
    auto const net = read_twice(graph_file({eight, eight, eight}, R"("edges":[[0,1],[0,2]])"));
    auto text = io::parse_json(io::to_text(net));
    text["nodes"][2]["mutates"] = nlohmann::json::array({{0, 0, 0}});
    auto const flow = flow_of(read_twice(text.dump()));
    REQUIRE(flow.mutations(2).size() == 1);
    CHECK(flow.mutations(2)[0] == overwrite{0, flow.writes(0)[0]});
    CHECK(numbers(flow.control_predecessors(2)) ==
          std::vector<std::uint32_t>{1});  // who reads the old value comes first
}

TEST_CASE("an output that may overwrite what its node reads is allowed to", "[io]") {
    auto const net =
        read_twice(graph_file({eight, std::string(eight) + R"(,"may_overwrite":[[0,0,0]])"}, R"("edges":[[0,1]])"));
    auto const flow = flow_of(net);
    REQUIRE(flow.allowed_overwrites(1).size() == 1);
    CHECK(flow.allowed_overwrites(1)[0] == overwrite{0, flow.writes(0)[0]});
    CHECK(flow.allowed_overwrites(0).empty());
}

TEST_CASE("one output may be a view while another owns its storage", "[io]") {
    auto const net =
        read_twice(graph_file({two_outputs, eight, R"("time":1,"memory":4,"outputs_memory":[0,4],"views":[[0,0,1]])",
                               R"("time":0,"memory":0,"alias_of":0)"},
                              R"("edges":[[0,2],[1,2],[2,3]],"edge_outputs":[[2,3,0]])"));
    auto const flow = flow_of(net);
    CHECK(numbers(flow.owners(flow.writes(2)[0])) == std::vector<std::uint32_t>{flow.writes(0)[1]});
    CHECK_FALSE(flow.is_view(flow.writes(2)[1]));
    CHECK(numbers(flow.owners(flow.writes(3)[0])) == std::vector<std::uint32_t>{flow.writes(0)[1]});
}

TEST_CASE("a node may be an alternative to another one, and read what is made of that one's output", "[io]") {
    auto const net = read_twice(graph_file(
        {eight, R"("time":1,"memory":2,"reads":[[0,0]])",
         R"("time":1,"memory":0,"reads":[[1,0]],"alternative_to":[[0,0,0]])", R"("time":1,"memory":8,"reads":[[2,0]])"},
        "\"edges\":[]"));
    CHECK(net.node(2).value_of({2, 0}) == io::node_output{0, 0});
    CHECK(net.node(1).value_of({1, 0}) == io::node_output{1, 0});
    auto const flow = flow_of(net);
    CHECK(flow.value_count() == 3);
    CHECK(numbers(flow.producers(flow.writes(0)[0])) == std::vector<std::uint32_t>{0, 2});
    CHECK(flow.size(flow.writes(2)[0]) == 8);
    CHECK(numbers(flow.reads(3)) == numbers(flow.writes(0)));
    CHECK(numbers(flow.reads(1)) == numbers(flow.writes(0)));
    std::vector<operation_index> const again{0, 1, 2, 3};
    CHECK(replay(flow, make_schedule(flow, again)).time == 4);
}

TEST_CASE("what a node says of the outputs to which it is an alternative is checked", "[io]") {
    auto const third = [&](std::string const& fields) {
        return graph_file({R"("memory":8,"input":true)", R"("time":1,"memory":8,"reads":[[0,0]])",
                           R"("time":0,"memory":0,"alias_of":1,"reads":[[1,0]])", R"("time":1,)" + fields},
                          "\"edges\":[]");
    };
    auto const refused = [&](std::string const& fields, std::string const& why) {
        return throws<bad_graph>([&] { return parse_network(third(fields)); }, {"node 3", "alternative_to", why});
    };
    CHECK_NOTHROW(parse_network(third(R"("memory":0,"alternative_to":[[0,1,0]])")));
    CHECK(refused(R"("memory":8,"alternative_to":[[0,1,0]])", "output 0 of node 1, which has its bytes"));
    CHECK(refused(R"("memory":0,"alternative_to":[[1,1,0]])", "output 1 is out of range"));
    CHECK(refused(R"("memory":0,"alternative_to":[[0,9,0]])", "there are 4 nodes"));
    CHECK(refused(R"("memory":0,"alternative_to":[[0,1,1]])", "the node has 1"));
    CHECK(refused(R"("memory":0,"alternative_to":[[0,3,0]])", "is its own"));
    CHECK(refused(R"("memory":0,"alternative_to":[[0,0,0]])", "is an input's"));
    CHECK(refused(R"("memory":0,"alternative_to":[[0,2,0]])", "is a view"));
    CHECK(refused(R"("memory":0,"alternative_to":[[0,1,0],[0,1,0]])", "once"));
    CHECK(refused(R"("memory":0,"result":true,"alternative_to":[[0,1,0]])", "say it of output 0 of node 1"));
    CHECK(throws<bad_graph>(
        [&] {
            return parse_network(graph_file({eight, R"("time":1,"memory":0,"alternative_to":[[0,0,0]])",
                                             R"("time":1,"memory":0,"alternative_to":[[0,1,0]])"},
                                            "\"edges\":[]"));
        },
        {"node 2", "output 0 of node 1", "is an alternative itself, to output 0 of node 0"}));
}

TEST_CASE("a value that many nodes compute, and many read, is no larger than the account allows") {
    constexpr std::uint32_t many = 200;
    std::vector<io::network_node> nodes(1 + 2 * many);
    nodes[0].memory = 8;
    std::vector<io::network_edge> edges;
    for (std::uint32_t v = 1; v <= many; ++v) {
        nodes[v].alternative_to = {{0, {0, 0}}};
        edges.push_back({.from = 0, .to = many + v});
    }
    auto const read = [&](std::size_t memory) {
        return io::network(nodes, edges, "n", nlohmann::json::object(), "", {}, io::read_account({}, memory));
    };
    CHECK(throws<limit_reached>([&] { return read(std::size_t{1} << 20); }, {"output 0 of node 0", "many nodes"}));
    CHECK_NOTHROW(read(std::size_t{1} << 22));
}

TEST_CASE("the owner of the storage of two values that one output views is named once", "[io]") {
    auto const net = read_twice(graph_file(
        {eight, two_outputs, R"("time":1,"memory":0,"views":[[0,1,0],[0,0,0],[0,1,1]])"}, R"("edges":[[0,2],[1,2]])"));
    CHECK(net.views({2, 0}).size() == 3);
    CHECK(net.storage_owners({2, 0}) == std::vector<std::uint32_t>{0, 1});
}

TEST_CASE("reads are operands in order, and need no edges", "[io]") {
    auto const net = read_twice(
        graph_file({two_outputs, eight, std::string(eight) + R"(,"reads":[[1,0],"x",[0,1],[1,0]])"}, R"("edges":[])"));
    CHECK(numbers(predecessors(net, 2)) == std::vector<std::uint32_t>{0, 1});
    CHECK(numbers(detail::outputs_read(net, 0, 2)) == std::vector<std::uint32_t>{1});
    auto const flow = flow_of(net);
    auto const x = flow.writes(0)[1], y = flow.writes(1)[0];
    CHECK(numbers(flow.operands(2)) == std::vector<std::uint32_t>{y, x, y});
    CHECK(net.node(2).reads->at(1).outside == "x");
}

TEST_CASE("operands come in the order in which the edges are listed", "[io]") {
    auto const net =
        read_twice(graph_file({two_outputs, eight, eight}, R"("edges":[[1,2],[0,2]],"edge_outputs":[[0,2,1,0,1]])"));
    auto const flow = flow_of(net);
    auto const first = flow.writes(0);
    CHECK(numbers(flow.operands(2)) == std::vector<std::uint32_t>{flow.writes(1)[0], first[1], first[0], first[1]});
    CHECK(net.node(2).reads.has_value());
    CHECK_FALSE(parse_network(graph_file({two_outputs, eight}, R"("edges":[[0,1]])")).node(1).reads.has_value());
}

TEST_CASE("an edge that occurs twice may read an output each time", "[io]") {
    auto const text = [](char const* outputs) {
        return graph_file({two_outputs, eight}, R"("edges":[[0,1],[0,1]],"edge_outputs":)" + std::string(outputs));
    };
    auto const flow = flow_of(read_twice(text("[[0,1,1],[0,1,0]]")));
    CHECK(numbers(flow.operands(1)) == std::vector<std::uint32_t>{flow.writes(0)[1], flow.writes(0)[0]});
    CHECK(testing::message_of<bad_file>([&] { static_cast<void>(parse_network(text("[[0,1,1]]"))); }) ==
          "graph: the graph: edge 0 -> 1 occurs 2 times, and edge_outputs has 1 for it");
}

TEST_CASE("times of a known unit become whole nanoseconds", "[io]") {
    auto const time_of_file = [](std::string const& unit, std::string const& time) {
        return read_twice("{\"time_unit\":\"" + unit + "\",\"nodes\":[{\"id\":0,\"time\":" + time + ",\"memory\":1}]}")
            .node(0)
            .time;
    };
    CHECK(time_of_file("ms", "1.25") == 1'250'000);
    CHECK(time_of_file("us", "0.1") == 100);
    CHECK(time_of_file("s", "2") == 2'000'000'000);
    CHECK(time_of_file("ns", "17") == 17);
    CHECK(time_of_file("ms", "0.12345678901") == 123'457);
    auto const net = parse_network(R"({"nodes":[{"id":0,"time":0.5,"memory":1}]})", "graph", "us");
    CHECK(net.node(0).time == 500);
    CHECK(io::parse_json(io::to_text(net)).at("time_unit") == "ns");
    CHECK(parse_network(R"({"nodes":[{"id":0,"time":5,"memory":1}]})").time_unit().empty());
}

TEST_CASE("a time that would be lost is refused, and so is a fraction without a unit", "[io]") {
    auto const refused = [](std::string const& unit, std::string const& time) {
        auto const text = "{" + unit + "\"nodes\":[{\"id\":0,\"time\":" + time + ",\"memory\":1}]}";
        return testing::message_of<bad_file>([&] { static_cast<void>(parse_network(text)); });
    };
    CHECK(refused("", "1.5") ==
          "graph: node 0: time is not a whole number: 1.5; a file with fractions says their "
          "unit, such as \"time_unit\": \"ms\"");
    CHECK(refused("\"time_unit\":\"us\",", "0.0004") ==
          "graph: node 0: time is no whole number of nanoseconds, and too small to be rounded: 0.0004 us");
    CHECK(refused("\"time_unit\":\"s\",", "1e10") ==
          "graph: node 0: time is above 2^63 - 1 nanoseconds: 10000000000.0 s");
    CHECK(refused("\"time_unit\":\"s\",", "9223372037") ==
          "graph: node 0: time is above 2^63 - 1 nanoseconds: 9223372037 s");
    CHECK(refused("\"time_unit\":\"h\",", "1") == "graph: the graph: time_unit must be s, ms, us or ns, not \"h\"");
    CHECK(refused("\"time_unit\":7,", "1") == "graph: the graph: time_unit must be a string, not 7");
}

TEST_CASE("a misspelt field is refused with the node and the field that may be meant", "[io]") {
    std::vector<std::pair<std::string, std::string>> const meant{{"results", "result"},
                                                                 {"is_result", "result"},
                                                                 {"recomputeable", "recomputable"},
                                                                 {"Recomputable", "recomputable"},
                                                                 {"aliasOf", "alias_of"},
                                                                 {"alias", "alias_of"},
                                                                 {"donate", "donated"},
                                                                 {"mutate", "mutates"},
                                                                 {"read", "reads"},
                                                                 {"view", "views"},
                                                                 {"may-overwrite", "may_overwrite"},
                                                                 {"workspcae", "workspace"},
                                                                 {"bwd_needs_input", "bwd_needs_inputs"},
                                                                 {"inputs", "input"}};
    for (auto const& [field, known] : meant) {
        auto const text = graph_file({eight, std::string(eight) + ",\"" + field + "\":true"}, R"("edges":[[0,1]])");
        CHECK(testing::message_of<bad_graph>([&] { static_cast<void>(parse_network(text)); }) ==
              "graph: node 1: has an unknown field '" + field + "'; is '" + known + "' meant?");
    }
    CHECK(testing::message_of<bad_graph>([&] {
              static_cast<void>(parse_network(R"({"nodes":[],"time_units":"ms"})"));
          }) == "graph: the network: has an unknown field 'time_units'; is 'time_unit' meant?");
}

TEST_CASE("other fields than those of the format are kept", "[io]") {
    auto const net = read_twice(graph_file(
        {std::string(eight) +
         R"(,"inputs":["x"],"heads":12,"outputs":[8],"bytes":3,"shape":[2],"view_bytes":8,"params_bytes":0,"flops":1)"
         R"(,"aten":"a","dtype":"f","edge":1,"times":[1])"},
        R"("source":"x","batch":2,"inputs":[],"parameters":[])"));
    CHECK(net.node(0).extra.size() == 12);
    CHECK(net.extra().size() == 4);
}

TEST_CASE("what a node says of results, inputs, views and overwrites is checked", "[io]") {
    auto const refused = [](std::string const& zero, std::string const& one,
                            std::string const& rest = R"("edges":[[0,1]])") {
        auto const text = graph_file({zero, one}, rest);
        return testing::message_of<error>([&] { static_cast<void>(flow_of(parse_network(text))); });
    };
    auto const second = [&](std::string const& fields) { return refused(eight, std::string(eight) + "," + fields); };
    CHECK(second(R"("result":[1])") == "graph: node 1: result: output 1 is out of range: the node has 1");
    CHECK(second(R"("result":[0,0])") == "graph: node 1: result: its outputs must be ascending, each once: 0");
    CHECK(second(R"("result":"yes")") == "graph: node 1: result must be true, false or a list of outputs, not \"yes\"");
    CHECK(second(R"("donated":true)") == "graph: node 1: is donated, and is no input");
    CHECK(second(R"("views":[[0,0,0]])") ==
          "graph: node 1: views: output 0 is a view of output 0 of node 0, but its memory is 8");
    CHECK(second(R"("mutates":[[0,0]])") == "graph: node 1: mutates[0] must be [own output, node, output]");
    CHECK(second(R"("mutates":[[0,1,0]])") ==
          "graph: node 1: mutates: output 0 of node 1 is not an output that it reads");
    CHECK(second(R"("mutates":[[1,0,0]])") == "graph: node 1: mutates: output 1 is out of range: the node has 1");
    CHECK(second(R"("mutates":[[0,0,0],[0,0,0]])") == "graph: node 1: mutates: output 0 is written over two values");
    CHECK(second(R"("may_overwrite":[[0,0,1]])") ==
          "graph: node 1: may_overwrite: output 1 of node 0 is not an output that it reads");
    CHECK(second(R"("reads":[[0,1]])") == "graph: node 1: reads output 1 of node 0, which has 1");
    CHECK(second(R"("reads":[[2,0]])") == "graph: node 1: reads node 2, but there are 2 nodes");
    CHECK(second(R"("reads":[0])") == "graph: node 1: reads[0] must be [node, output]");
    CHECK(second(R"("reads":[])") ==
          "graph: edge 0 -> 1: the field reads of node 1 does not name it, and the edge is not "
          "said to be for order only");
    CHECK(refused(two_outputs, std::string(eight) + R"(,"reads":[[0,0]])",
                  R"("edges":[[0,1]],"edge_outputs":[[0,1,1]])") ==
          "graph: edge 0 -> 1: the field reads of node 1 names other outputs of it");
    CHECK(refused(eight, R"("memory":8,"input":true)") == "graph: node 1: is an input, and waits for node 0");
    CHECK(refused(R"("time":3,"memory":8,"input":true)", eight) == "graph: node 0: is an input, and its time is 3");
    CHECK(refused(R"("memory":8)", eight) == "graph: node 0: has no field 'time'");
    CHECK(refused(R"("memory":8,"input":true,"donated":true,"result":true)", eight) ==
          "graph: node 0: is an input, and is donated, but is a result, too");
}
