// Covers io/json_network.hpp, io/network_mirror.hpp, io/network_training.hpp.
#include <concepts>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/io/json_network.hpp>
#include <repebble/io/network_mirror.hpp>
#include <repebble/io/network_training.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/recompute/drop_cheap.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/recompute/mirror.hpp>
#include <repebble/recompute/recompute_plan.hpp>
#include <repebble/recompute/segment_recursive.hpp>

#include "support/catch.hpp"
#include "support/folders.hpp"
#include "support/golden.hpp"

using namespace repebble;

static_assert(mirror_count<io::mirror_count_of, operation_index>);
static_assert(std::predicate<io::is_cheap_in, operation_index>);

namespace {

/// A chain of nodes of one byte and one time unit each, whose gradients read their inputs; with these marks.
auto marked_chain(std::vector<std::uint32_t> const& marks) -> io::network {
    std::vector<io::network_node> nodes;
    std::vector<io::network_edge> edges;
    for (std::uint32_t v = 0; v < marks.size(); ++v) {
        nodes.push_back({.time = 1, .memory = 1, .mirror = marks[v], .bwd_needs_output = false});
        if (v > 0) edges.push_back({.from = v - 1, .to = v});
    }
    return io::network(std::move(nodes), std::move(edges));
}

auto planned_by_marks(io::network const& net) -> recompute_plan<> {
    return mirror(io::make_training_graph(net), io::mirror_count_of{&net});
}

auto is_cheap(std::string const& op) -> bool {
    io::network const net({{.op = op}});
    return io::is_cheap_in{&net}(0);
}

}  // namespace

TEST_CASE("a network without marks keeps everything", "[network_mirror]") {
    auto const net = marked_chain({0, 0, 0, 0, 0});
    auto const kept = keep_all(io::make_training_graph(net));
    CHECK(planned_by_marks(net).cost.peak == kept.cost.peak);
    CHECK(planned_by_marks(net).cost.overhead == 0);
}

TEST_CASE("marks are the plan: marked values are recomputed, others are kept", "[network_mirror]") {
    auto const net = marked_chain({1, 0, 1, 1, 0, 0});
    auto const plan = planned_by_marks(net);
    std::vector<operation_index> computed;
    for (auto const& s : plan.schedule.steps)
        if (s.what == action::compute) computed.push_back(s.vertex);
    // 6 to 11 are the gradients of 5 to 0; each reads the one before it, and 7 to 11 the results 4 to 0.
    CHECK(computed == std::vector<operation_index>{0, 1, 2, 3, 4, 5, 6, 7, 2, 3, 8, 9, 10, 0, 11});
    CHECK(plan.cost.overhead == 3);
    CHECK(plan.cost.peak == 5);                                  // at 8, whose result comes to those of 1, 2, 3 and 7
    CHECK(keep_all(io::make_training_graph(net)).cost.peak == 7);  // at 7: 0 to 4, 6 and 7
}

TEST_CASE("marks of recursion are a plan by recursion, from a file, too", "[network_mirror]") {
    auto const unmarked = marked_chain(std::vector<std::uint32_t>(8, 0));
    auto counts = find_recursive_counts(io::make_training_graph(unmarked));
    counts.resize(8);
    CHECK(counts == std::vector<std::uint32_t>{2, 1, 1, 0, 1, 0, 0, 0});
    auto const net = io::parse_network(io::to_text(marked_chain(counts)));
    auto const plan = planned_by_marks(net);
    CHECK(plan.cost.peak == 5);      // log2 8 + 2
    CHECK(plan.cost.overhead == 5);  // 8 (log2 8 - 2) / 2 + 1
    CHECK(plan == segment_recursive(io::make_training_graph(unmarked)));
}

TEST_CASE("of a view the mark of the storage counts, and gradients have none", "[network_mirror]") {
    io::network const net({{.op = "relu", .memory = 8, .mirror = 3},
                           {.op = "view", .alias_of = 0},
                           {.op = "relu", .recomputable = false, .alias_of = 0}},
                          {{0, 1}, {1, 2}});
    io::mirror_count_of const count{&net};
    CHECK(count(0) == 3);
    CHECK(count(1) == 3);
    CHECK(count(2) == 0);
    CHECK(count(3) == 0);
    CHECK(io::is_cheap_in{&net}(1));
    CHECK_FALSE(io::is_cheap_in{&net}(3));
}

TEST_CASE("names of batch norm, activations and pooling are cheap, in upper or lower case", "[network_mirror]") {
    for (auto const* op : {"batch_norm", "relu", "gelu", "sigmoid", "silu", "tanh", "pool", "BatchNormalization",
                           "ReLU", "MaxPooling2D", "AveragePooling2D", "MaxPool", "GlobalAveragePool", "LeakyRelu"})
        CHECK(is_cheap(op));
    for (auto const* op : {"", "conv", "matmul", "add", "view", "copy", "layer_norm", "softmax", "log_softmax", "loss",
                           "dropout", "SoftmaxCrossEntropy", "LocalResponseNormalization", "relu_bwd", "rel", "pools"})
        CHECK_FALSE(is_cheap(op));
}

TEST_CASE("the cheap operations of ResNet-50 have much memory and little time", "[network_mirror]") {
    auto const net = io::read_network(support::source_dir() + "/examples/data/resnet50_joint.json");
    auto const training = io::make_training_graph(net);
    auto const kept = keep_all(training).cost;
    auto const dropped = drop_cheap(training, io::is_cheap_in{&net}).cost;
    std::int64_t once = 0;
    for (auto const& node : net.nodes())
        if (io::cheap_by_name{}(node)) once += node.time;
    CHECK(dropped.peak < kept.peak * 8 / 10);
    CHECK(dropped.overhead > 0);
    CHECK(dropped.overhead <= once);
    CHECK(dropped.overhead < kept.time / 5);
}

TEST_CASE("names of the data folder that are cheap", "[network_mirror][data]") {
    std::vector<std::pair<std::string, std::vector<std::string>>> const expected{
        {"own/graphs/googlenet.json", {"batch_norm", "pool", "relu"}},
        {"own/graphs/efficientnet_b0.json", {"batch_norm", "sigmoid", "silu"}},
        {"own/graphs/gpt2_small.json", {"gelu"}}};
    for (auto const& [name, cheap] : expected) {
        auto const file = support::data_file(name);
        if (!file) SKIP("there is no data folder own/graphs");
        INFO(name);
        auto const net = io::read_network(*file);
        std::set<std::string> found;
        for (auto const& node : net.nodes())
            if (io::cheap_by_name{}(node)) found.insert(node.op);
        CHECK(std::vector<std::string>(found.begin(), found.end()) == cheap);
    }
}
