// Covers io/json_network.hpp, io/network_training.hpp.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/io/json_network.hpp>
#include <repebble/io/network_training.hpp>

#include "support/catch.hpp"
#include "support/folders.hpp"
#include "support/throws.hpp"

using namespace repebble;

namespace {

constexpr std::array conventions{convention::value_grad, convention::op_backward, convention::executable};

}  // namespace

TEST_CASE("a forward node may wait for a backward one: that of the second of two microbatches") {
    auto const net = io::parse_network(R"({"nodes": [
        {"id": 0, "time": 1, "memory": 8}, {"id": 1, "time": 1, "memory": 8, "phase": "backward"},
        {"id": 2, "time": 1, "memory": 8}, {"id": 3, "time": 1, "memory": 8, "phase": "backward"}],
        "edges": [[0, 1], [1, 2], [2, 3]], "edge_outputs": [[1, 2]]})");
    auto const training = io::make_training_graph(net);
    CHECK(training.origin[2].pass == pass::backward);
    CHECK(training.flow.control_predecessors(2).size() == 1);
}

TEST_CASE("a network with a backward pass is joint whatever is asked for", "[network_training]") {
    auto const joint = io::read_network(support::source_dir() + "/examples/data/resnet50_joint.json");
    CHECK(joint.is_joint());
    CHECK(io::make_training_graph(joint, convention::executable).made_by == convention::joint);
    auto const unet = io::read_network(support::source_dir() + "/examples/data/unet_small.json");
    CHECK(!unet.is_joint());
    for (auto const how : conventions) CHECK(io::make_training_graph(unet, how).made_by == how);
}

TEST_CASE("a network's flags declare the needs of its gradients", "[network_training]") {
    auto const net = io::parse_network(R"({"edges":[[0,1],[1,2],[2,3]],"edge_outputs":[[1,2,0]],"nodes":[
        {"id":0,"op":"conv","time":1,"memory":8,"bwd_needs_output":false},
        {"id":1,"op":"batch_norm","time":1,"memory":10,"outputs_memory":[8,2],"bwd_needs_output":false},
        {"id":2,"op":"relu","time":1,"memory":8,"bwd_needs_inputs":false},
        {"id":3,"op":"pool","time":1,"memory":12,"outputs_memory":[8,4],"bwd_needs_inputs":false,"bwd_needs_output":false}]})");
    auto const flow = make_dataflow(net, net.weights());
    auto const needs = detail::find_gradient_needs(net, flow, io::detail::dependencies_of(net));
    auto const row = [&](std::size_t v) { return std::vector<int>(needs[v].begin(), needs[v].end()); };
    CHECK(row(0).empty());
    CHECK(row(1) == std::vector{0, 2});  // its input, and its statistics, but not what it hands on
    CHECK(row(2) == std::vector{3});
    CHECK(row(3).empty());
}

TEST_CASE(
    "an operation that reads many values has as many gradients, each of which reads all of them: value_grad is "
    "refused, op_backward is linear",
    "[network_training]") {
    std::vector<io::network_node> nodes(3'002, {.time = 1, .memory = 8});
    std::vector<io::network_edge> edges;
    for (std::uint32_t k = 1; k <= 3'000; ++k) {
        edges.push_back({.from = 0, .to = k});
        edges.push_back({.from = k, .to = 3'001});
    }
    io::network const net(nodes, edges);
    CHECK(support::throws<limit_reached>([&] { return io::make_training_graph(net); },
                                         {"node 3001 reads 3000 nodes", "3002 values", "op_backward"}));
    auto const linear = io::make_training_graph(net, convention::op_backward);
    CHECK(linear.flow.operation_count() == 6'004);
    std::size_t reads = 0;
    for (operation_index v = 0; v < linear.flow.operation_count(); ++v) reads += linear.flow.reads(v).size();
    CHECK(reads < 30'000);
}

TEST_CASE("a network lists the operands and outputs that gradients read, and where none passes", "[network_training]") {
    auto const text = R"({"nodes":[
        {"id":0,"time":1,"memory":8,"bwd_needs_inputs":false,"bwd_needs_output":[]},
        {"id":1,"time":1,"memory":8,"has_gradient":false},
        {"id":2,"time":1,"memory":10,"outputs_memory":[8,2],"reads":[[0,0],[1,0],"x"],"bwd_needs_inputs":[1,2],
         "bwd_needs_output":[0],"has_gradient":[0]}]})";
    auto const net = io::parse_network(text);
    auto const needs =
        detail::find_gradient_needs(net, make_dataflow(net, net.weights()), io::detail::dependencies_of(net));
    auto const row = [&](std::size_t v) { return std::vector<int>(needs[v].begin(), needs[v].end()); };
    CHECK(row(0).empty());
    CHECK(row(2) == std::vector{1, 2});
    CHECK(io::detail::dependencies_of(net).passes(2, 0));
    CHECK(!io::detail::dependencies_of(net).passes(2, 1));
    CHECK(io::parse_network(io::to_text(net)) == net);
    for (auto const how : conventions)
        CHECK(std::ranges::none_of(io::make_training_graph(net, how).origin,
                                   [](auto const& o) { return o.vertex == 1 && o.pass != pass::forward; }));
}
