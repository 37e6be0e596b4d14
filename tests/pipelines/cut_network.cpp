// Covers pipelines/cut_network.hpp.
#include <cstdint>
#include <string>
#include <vector>

#include <repebble/io/json_network.hpp>
#include <repebble/io/network_training.hpp>
#include <repebble/networks/by_name.hpp>
#include <repebble/networks/network_of.hpp>
#include <repebble/pipelines/cut_network.hpp>
#include <repebble/recompute/keep_all.hpp>

#include "support/catch.hpp"
#include "support/throws.hpp"

using namespace repebble;

namespace {

auto named(char const* name) -> io::network {
    return networks::network_of(networks::by_name(
        name, {.batch = 1, .length = std::string(name) == "resnet18" ? std::optional<std::int64_t>() : 16}));
}

}  // namespace

TEST_CASE("a network is cut where one value passes, and parts have each node, time and parameter", "[pipelines]") {
    for (auto const* name : {"resnet18", "gpt2", "llama3_1b"}) {
        INFO(name);
        auto const net = named(name);
        auto cuts = io::find_cuts(net);
        CHECK(cuts.size() > 16);
        std::int64_t time = 0;
        std::size_t nodes = 0, parameters = 0;
        cuts.push_back(static_cast<std::uint32_t>(net.nodes().size()));
        for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
            auto const part = io::part_of(net, cuts[k], cuts[k + 1]);
            auto const first = k == 0 ? 0U : 1U;
            nodes += part.nodes().size() - first;
            parameters += part.extra().at("parameters").size();
            CHECK(part.node(first).name == net.node(cuts[k]).name);
            time += io::make_training_graph(part).flow.time_once();
        }
        CHECK(nodes == net.nodes().size());
        CHECK(parameters >= net.extra().at("parameters").size());
        CHECK(time == io::make_training_graph(net).flow.time_once());
    }
}

TEST_CASE("a part of all is the network, and a part counts what passes into it", "[pipelines]") {
    auto const net = named("llama3_1b");
    auto const cuts = io::find_cuts(net);
    auto const whole = io::part_of(net, 0, static_cast<std::uint32_t>(net.nodes().size()));
    CHECK(keep_all(io::make_training_graph(whole)).cost == keep_all(io::make_training_graph(net)).cost);
    // Rows of 2048 numbers pass.
    auto const part = io::part_of(net, cuts[3], cuts[4]);
    CHECK(part.node(0).memory == 16 * 2048 * 4);
    CHECK(part.node(0).time == 0);
    CHECK_FALSE(part.node(0).recomputable);  // nobody sends it twice
}

TEST_CASE("networks are not cut through branches, nor where they cannot be", "[pipelines]") {
    auto const read = [](std::string const& text) { return io::parse_network(text); };
    auto const net = read(R"({"nodes": [{"id": 0, "time": 1, "memory": 4}, {"id": 1, "time": 1, "memory": 4},
        {"id": 2, "time": 1, "memory": 4}, {"id": 3, "time": 1, "memory": 4}, {"id": 4, "time": 1, "memory": 4}],
        "edges": [[0, 1], [0, 2], [1, 3], [2, 3], [3, 4]]})");
    CHECK(io::find_cuts(net) == std::vector<std::uint32_t>{0, 1, 4});
    CHECK(io::find_cuts(io::network()).empty());
    auto const backward = read(R"({"nodes": [{"id": 0, "time": 1, "memory": 4}, {"id": 1, "time": 1, "memory": 4,
        "phase": "backward"}], "edges": [[0, 1]]})");
    CHECK(support::throws<bad_graph>([&] { return io::find_cuts(backward); }, {"node 1", "backward"}));
    auto const turned = read(R"({"nodes": [{"id": 0, "time": 1, "memory": 4}, {"id": 1, "time": 1, "memory": 4}],
        "edges": [[1, 0]]})");
    CHECK(support::throws<bad_graph>([&] { return io::find_cuts(turned); }, {"node 0", "later"}));
}

TEST_CASE("networks are not cut behind a node of two outputs, though the next node alone reads both", "[pipelines]") {
    auto const net = io::parse_network(R"({"nodes": [{"id": 0, "time": 1, "memory": 4},
        {"id": 1, "time": 1, "memory": 8, "outputs_memory": [4, 4]}, {"id": 2, "time": 1, "memory": 4},
        {"id": 3, "time": 1, "memory": 4}], "edges": [[0, 1], [1, 2], [2, 3]]})");
    CHECK(net.operands(2).size() == 2);
    CHECK(io::find_cuts(net) == std::vector<std::uint32_t>{0, 1, 3});
    auto const part = io::part_of(net, 1, 3);
    CHECK(part.operands(2).size() == 2);
}

TEST_CASE("a part keeps what nodes read from outside, and what only orders them", "[pipelines]") {
    auto const net =
        io::parse_network(R"({"nodes": [{"id": 0, "time": 1, "memory": 4}, {"id": 1, "time": 1, "memory": 4},
        {"id": 2, "time": 1, "memory": 4}, {"id": 3, "time": 1, "memory": 4, "reads": ["x", [1, 0]], "bwd_needs_inputs": [1]}],
        "edges": [[0, 1], [1, 2], [1, 3], [2, 3]], "edge_outputs": [[2, 3]]})");
    CHECK(io::find_cuts(net) == std::vector<std::uint32_t>{0, 1, 2});
    auto const part = io::part_of(net, 2, 4);
    CHECK(part.node(2).reads == std::vector<io::node_operand>{{.outside = "x"}, {.of = {0}}});
    CHECK(part.node(2).bwd_operands == net.node(3).bwd_operands);
    CHECK(part.outputs_read(1, 2).empty());
}

TEST_CASE("a part of a network refuses parameters that it does not list", "[pipelines]") {
    for (std::string const named : {"1", "-1", "\"w\""}) {
        auto const net = io::parse_network(R"({"parameters": [{"size": 3}], "nodes": [{"id": 0, "time": 1, "memory": 4},
            {"id": 1, "name": "product", "time": 1, "memory": 4, "parameters": [)" +
                                           named + R"(]}], "edges": [[0, 1]]})");
        CHECK(support::throws<bad_graph>([&] { return io::part_of(net, 1, 2); }, {"product", "parameter"}));
    }
}
