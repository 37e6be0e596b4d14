// Covers io/network_policies.hpp, io/json_network.hpp.
#include <cstdint>
#include <string>
#include <vector>

#include <repebble/graph/training/value_policies.hpp>
#include <repebble/io/json_network.hpp>
#include <repebble/io/network_policies.hpp>
#include <repebble/io/network_training.hpp>
#include <repebble/io/parse_json.hpp>
#include <repebble/pebbling/verify_policies.hpp>
#include <repebble/plan.hpp>

#include "support/catch.hpp"

using namespace repebble;
using io::find_policies, io::parse_network;

namespace {

/// A chain of five nodes: output 1 of node 1 must be recomputed, output 0 of node 2 and node 3 must be kept.
auto marked() -> io::network {
    return parse_network(
        R"({"nodes":[{"id":0,"time":1,"memory":8},{"id":1,"time":1,"memory":12,"outputs_memory":[4,8],"must_recompute":[1]},
        {"id":2,"time":1,"memory":12,"outputs_memory":[4,8],"must_keep":[0]},
        {"id":3,"time":1,"memory":8,"must_keep":true},{"id":4,"time":1,"memory":8,"must_keep":false}],
        "edges":[[0,1],[1,2],[2,3],[3,4]]})");
}

}  // namespace

TEST_CASE("marks of outputs are policies of the training graph's values, in any convention", "[network_policies]") {
    auto const net = marked();
    auto const policies = find_policies(net);
    CHECK(policies == value_policies{.must_keep = {{2, 0}, {3, 0}}, .must_recompute = {{1, 1}}});
    for (auto const how : {convention::value_grad, convention::op_backward, convention::executable}) {
        auto const training = io::make_training_graph(net, how);
        auto const found = plan(training, 1000, {.policies = policies});
        REQUIRE(found.plan);
        CHECK(found.plan->cost.overhead > 0);
        CHECK(verify_policies(training, found.plan->schedule, policies));
    }
    CHECK(find_policies(parse_network(R"({"nodes":[{"id":0,"time":1,"memory":8}]})")).empty());
}

TEST_CASE("of a forward graph what must be kept is, by its own numbers", "[network_policies]") {
    // The first node is of the backward pass, and no operation of the forward part.
    auto const net = parse_network(R"({"nodes":[{"id":0,"time":1,"memory":8,"phase":"backward"},
        {"id":1,"time":1,"memory":8,"must_keep":true},{"id":2,"time":1,"memory":8,"must_recompute":true}],
        "edges":[[1,2],[2,0],[1,0]]})");
    CHECK(find_policies(net) == value_policies{.must_keep = {{1, 0}}, .must_recompute = {{2, 0}}});
    CHECK(find_policies(net, io::make_forward_dataflow(net)) == value_policies{.must_keep = {{0, 0}}});
}

TEST_CASE("policies are written and read again", "[network_policies]") {
    auto const net = marked();
    auto const text = io::to_text(net);
    CHECK(parse_network(text) == net);
    auto const nodes = io::parse_json(text).at("nodes");
    CHECK(nodes[1].at("must_recompute") == nlohmann::json::array({1}));
    CHECK(nodes[2].at("must_keep") == nlohmann::json::array({0}));
    CHECK(nodes[3].at("must_keep") == true);
    CHECK_FALSE((nodes[0].contains("must_keep") || nodes[4].contains("must_keep")));
    CHECK(net.node(2).extra.empty());
}
