// Covers io/json_network.hpp, io/network.hpp, io/network_node.hpp.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/io/json_network.hpp>
#include <repebble/io/parse_json.hpp>

#include "support/catch.hpp"
#include "support/folders.hpp"
#include "support/temporary_folder.hpp"

using namespace repebble;
using io::network;
using io::parse_network;

static_assert(bidirectional_graph<network>);
static_assert(std::same_as<vertex_t<network>, std::uint32_t>);
static_assert(weights_for<io::network_weights, network>);

namespace {

using nodes = std::vector<io::network_node>;

auto branching() -> network { return io::read_network(support::source_dir() + "/tests/data/branching_network.json"); }

template <class Range>
auto listed(Range&& range) -> std::vector<std::uint32_t> {
    std::vector<std::uint32_t> all;
    for (auto const x : range) all.push_back(static_cast<std::uint32_t>(x));
    return all;
}

}  // namespace

TEST_CASE("the least legal graph file has its defaults", "[io]") {
    auto const net =
        parse_network(R"({"nodes":[{"id":0,"time":1,"memory":8},{"id":1,"time":2,"memory":4}],"edges":[[0,1]]})");
    REQUIRE(net.nodes().size() == 2);
    auto const& node = net.node(0);
    CHECK(node.time == 1);
    CHECK(node.memory == 8);
    CHECK(node.workspace == 0);
    CHECK(node.recomputable);
    CHECK(node.mirror == 0);
    CHECK(node.phase == pass::forward);
    CHECK(node.bwd_needs_inputs);
    CHECK(node.bwd_needs_output);
    CHECK_FALSE(node.inplace);
    CHECK_FALSE(node.inplace_src);
    CHECK_FALSE(node.is_view());
    CHECK(node.output_count() == 1);
    CHECK(net.name().empty());
}

TEST_CASE("a graph file needs no edges, and no nodes either", "[io]") {
    CHECK(parse_network(R"({"nodes":[{"id":0,"time":1,"memory":8}]})").edges().empty());
    CHECK(parse_network(R"({"nodes":[]})").nodes().empty());
    CHECK(make_dataflow(network{}, unit_weight{}, unit_weight{}).operation_count() == 0);
}

TEST_CASE("nodes may come in any order, and edges may go from a higher id to a lower", "[io]") {
    auto const net = parse_network(
        R"({"nodes":[{"id":1,"time":11,"memory":1},{"id":2,"time":12,"memory":2},{"id":0,"time":10,"memory":0}],
            "edges":[[2,0],[1,0],[2,1]]})");
    CHECK(net.node(0).time == 10);
    CHECK(net.node(2).time == 12);
    CHECK(listed(successors(net, 2)) == std::vector<std::uint32_t>{0, 1});
    CHECK(listed(predecessors(net, 0)) == std::vector<std::uint32_t>{1, 2});
    CHECK(make_dataflow(net, net.weights()).order().front() == 2);
}

TEST_CASE("a time may be written as a float where it is a whole number", "[io]") {
    CHECK(parse_network(R"({"nodes":[{"id":0,"time":1.5e3,"memory":8}]})").node(0).time == 1500);
    CHECK(parse_network(R"({"nodes":[{"id":0,"time":9223372036854774784.0,"memory":8}]})").node(0).time ==
          9223372036854774784);
}

TEST_CASE("all members are read from their fields", "[io]") {
    auto const net = branching();
    CHECK(net.name() == "branching");
    CHECK(net.extra().at("batch") == 2);
    CHECK(net.node(0).name == "conv");
    CHECK(net.node(0).op == "conv");
    CHECK(net.node(0).workspace == 16);
    CHECK(net.node(0).extra.at("flops") == 1234567890123);
    CHECK(net.node(1).outputs_memory == std::vector<bytes>{64, 8});
    CHECK_FALSE(net.node(1).bwd_needs_output);
    CHECK(net.node(2).inplace);
    CHECK(net.node(2).inplace_src == 1U);
    CHECK_FALSE(net.node(2).bwd_needs_inputs);
    CHECK(net.node(3).alias_of == 1U);
    CHECK_FALSE(net.node(4).recomputable);
    CHECK(net.node(5).phase == pass::backward);
    CHECK(net.node(5).extra.empty());
}

TEST_CASE("a node has the number of its recomputations", "[io]") {
    auto const net = parse_network(R"({"nodes":[{"id":0,"time":1,"memory":8,"mirror":1},
        {"id":1,"time":1,"memory":8,"mirror":4294967295},{"id":2,"time":1,"memory":8,"mirror":0}],"edges":[[0,1]]})");
    CHECK(net.node(0).mirror == 1);
    CHECK(net.node(0).extra.empty());
    CHECK(net.node(1).mirror == 4294967295);
    CHECK(net.node(2).mirror == 0);
    CHECK(parse_network(io::to_text(net)) == net);
    CHECK(io::parse_json(io::to_text(net)).at("nodes").at(1).at("mirror") == 4294967295);
    CHECK_FALSE(io::parse_json(io::to_text(net)).at("nodes").at(2).contains("mirror"));
}

TEST_CASE("an edge reads the outputs that the file names, or all", "[io]") {
    auto const net = branching();
    CHECK(detail::output_count(net, 1) == 2);
    CHECK(listed(detail::outputs_read(net, 1, 2)) == std::vector<std::uint32_t>{0});
    CHECK(listed(detail::outputs_read(net, 1, 3)) == std::vector<std::uint32_t>{1});
    CHECK(listed(detail::outputs_read(net, 0, 1)) == std::vector<std::uint32_t>{0});
    CHECK(net.reads_all(0));
    CHECK_FALSE(net.reads_all(1));
    CHECK_THROWS_AS(detail::outputs_read(net, 0, 5), precondition_violated);
}

TEST_CASE("a view with several outputs has as many as its field outputs lists", "[io]") {
    auto const net = parse_network(R"({"nodes":[{"id":0,"time":1,"memory":12,"outputs":[1,2,3,4]},
        {"id":1,"time":0,"memory":0,"alias_of":0,"outputs":[4,4,4]},
        {"id":2,"time":0,"memory":0,"alias_of":0,"outputs_memory":[0,0]},
        {"id":3,"time":0,"memory":0,"alias_of":0}],"edges":[[0,1],[1,2],[2,3]],"edge_outputs":[[1,2,2]]})");
    CHECK(detail::output_count(net, 0) == 1);  // what allocates says so by outputs_memory
    CHECK(detail::output_count(net, 1) == 3);
    CHECK(detail::output_count(net, 2) == 2);
    CHECK(detail::output_count(net, 3) == 1);
    auto const flow = make_dataflow(net, net.weights());
    CHECK(flow.value_count() == 7);
    CHECK(listed(flow.owners(flow.writes(3)[0])) == std::vector<std::uint32_t>{flow.writes(0)[0]});
}

TEST_CASE("the dataflow of a network has its weights, outputs and views", "[io]") {
    auto const net = branching();
    auto const flow = make_dataflow(net, net.weights());
    CHECK(flow.operation_count() == 6);
    CHECK(flow.value_count() == 7);
    CHECK(flow.time_once() == 18);
    CHECK(flow.workspace(0) == 16);
    CHECK_FALSE(flow.recomputable(4));
    CHECK(flow.size(flow.writes(1)[1]) == 8);
    CHECK(listed(flow.owners(flow.writes(3)[0])) == std::vector<std::uint32_t>{flow.writes(1)[1]});
    CHECK(io::memory_of{&net}(1) == 72);
}

TEST_CASE("a network that is written is read again as the same, with its unknown fields", "[io]") {
    testing::temporary_folder const folder;
    auto const net = branching();
    io::write_network(folder / "again.json", net);
    auto const again = io::read_network(folder / "again.json");
    CHECK(again == net);
    CHECK(again.node(1).extra.at("shape") == nlohmann::json::array({2, 8}));
    CHECK(again.extra().at("source") == "made by hand");
    CHECK(parse_network(io::to_text(net)) == net);
}

TEST_CASE("a network made by hand is written and read again", "[io]") {
    testing::temporary_folder const folder;
    network const net({{.time = 1, .memory = 12, .outputs_memory = {4, 8}}, {.name = "\"\n\u00e9", .alias_of = 0}},
                      {{.from = 0, .to = 1, .outputs = {1}}});
    io::write_network(folder / "hand.json", net);
    CHECK(io::read_network(folder / "hand.json") == net);
    io::write_network(folder / "none.json", network{});
    CHECK(io::read_network(folder / "none.json") == network{});
}

TEST_CASE("a file names a link and the host's memory, as text or by parts", "[io]") {
    auto const with = [](std::string const& fields) {
        return parse_network(R"({"time_unit":"us","nodes":[{"id":0,"time":1,"memory":8}],)" + fields + "}");
    };
    auto const text = with(R"("link":"4GB/s,5us,half-duplex","host_budget":"1KiB")");
    CHECK(text.copies().link == "4GB/s,5us,half-duplex");
    CHECK(text.copies().host_budget == 1024);
    CHECK(with(R"("link":{"bandwidth":"4GB/s","latency":"5us","half_duplex":true},"host_budget":1024)") == text);
    CHECK(with(R"("link":{"bandwidth":"pcie4","half_duplex":false})").copies().link == "pcie4");
    CHECK(parse_network(io::to_text(text)) == text);
    CHECK(io::parse_json(io::to_text(text)).at("host_budget") == 1024);
    CHECK(parse_network(R"({"nodes":[],"link":"pcie4"})", "graph", "ms").copies().link == "pcie4");
    CHECK(parse_network(R"({"nodes":[],"host_budget":0})").copies() == io::network_copies{.host_budget = 0});
    CHECK(io::to_text(branching()).find("host_budget") == std::string::npos);
}

TEST_CASE("an edge that names every output is the same as one that names none", "[io]") {
    nodes const two{{.memory = 12, .outputs_memory = {4, 8}}, {}};
    CHECK(network(two, {{0, 1, {0, 1}}}) == network(two, {{0, 1}}));
}

TEST_CASE("a name that is not UTF-8 cannot be written", "[io]") {
    testing::temporary_folder const folder;
    CHECK_THROWS_AS(io::write_network(folder / "x", network(nodes{{.name = "\xff"}})), bad_file);
}

TEST_CASE("a network made by hand keeps its invariant", "[io]") {
    auto const extra = [](char const* field) {
        auto object = nlohmann::json::object();
        object[field] = 1;
        return object;
    };
    CHECK_THROWS_AS(network(nodes{{.time = -1}}), bad_weight);
    CHECK_THROWS_AS(network(nodes{{.phase = pass::accumulate}}), bad_graph);
    CHECK_THROWS_AS(network(nodes{{.extra = extra("time")}}), bad_graph);
    CHECK_THROWS_AS(network(nodes{{.extra = extra("mirror")}}), bad_graph);
    CHECK_THROWS_AS(network(nodes{{.recomputable = false, .mirror = 1}}), bad_graph);
    CHECK_THROWS_AS(network(nodes{{.extra = nlohmann::json::array()}}), bad_graph);
    CHECK_THROWS_AS(network(nodes{}, {}, {}, extra("nodes")), bad_graph);
    CHECK_THROWS_AS(network(nodes(2), {{0, 1}, {1, 0}}), not_a_dag);
    CHECK_THROWS_AS(network(nodes(2), {{0, 2}}), bad_graph);
}
