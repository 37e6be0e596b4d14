// Covers onnx/onnx_network.hpp, onnx/detail/gradient_reads.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <repebble/io/network_training.hpp>
#include <repebble/onnx/detail/gradient_reads.hpp>
#include <repebble/onnx/onnx_network.hpp>
#include <repebble/recompute/keep_all.hpp>

#include "model_maker.hpp"
#include "support/catch.hpp"

using namespace repebble;
using namespace onnx_models;
using io::onnx_network;

TEST_CASE("training saves statistics, indices and masks, and inference does not", "[onnx]") {
    model_maker all;
    all.input("x", onnx_shape_of({2, 3, 8, 8})).weight("w", {4, 3, 3, 3});
    for (auto const* p : {"s", "b", "m", "v"}) all.weight(p, {4});
    all.node("Conv", {"x", "w"}, {"c"}).node("BatchNormalization", {"c", "s", "b", "m", "v"}, {"n"});
    all.node("MaxPool", {"n"}, {"p"}, {{"kernel_shape", std::vector<std::int64_t>{2, 2}}})
        .node("Dropout", {"p"}, {"d"});
    all.result("d");
    auto const training = onnx_network(all.m);
    auto const sizes = [](io::network_node const& node) { return node.outputs_memory; };
    CHECK(sizes(node_called(training, "BatchNormalization")) == std::vector<bytes>{2 * 4 * 36 * 4, 16, 16});
    CHECK(node_called(training, "BatchNormalization").bwd_outputs == positions{1, 2});
    CHECK(sizes(node_called(training, "MaxPool")) == std::vector<bytes>{2 * 4 * 25 * 4, 2 * 4 * 25 * 8});
    CHECK(sizes(node_called(training, "Dropout")) == std::vector<bytes>{2 * 4 * 25 * 4, 2 * 4 * 25});
    CHECK(node_called(training, "Conv").bwd_operands == positions{0});
    auto const inference = onnx_network(all.m, inference_only());
    for (auto const& node : inference.nodes()) CHECK(node.outputs_memory.empty());
    CHECK(node_called(inference, "Dropout").is_view());
    // Running statistics are parameters that nobody trains.
    CHECK(training.extra().at("total_params_bytes") == (4 * 27 + 8) * 4);
}

TEST_CASE("training saves a statistic that the node leaves out between its outputs", "[onnx]") {
    model_maker all;
    all.input("x", onnx_shape_of({2, 3, 8})).weight("scale", {8});
    all.node("LayerNormalization", {"x", "scale"}, {"y", "", "inverse"}).result("y");
    auto const net = onnx_network(all.m);
    auto const& norm = node_called(net, "LayerNormalization");
    CHECK(norm.outputs_memory == std::vector<bytes>{2 * 3 * 8 * 4, 2 * 3 * 4, 2 * 3 * 4});
    CHECK(norm.bwd_outputs == positions{1, 2});  // the inverse deviation, and the mean behind it
}

TEST_CASE("gradients read what the operands that they arrive at need", "[onnx]") {
    model_maker all;
    all.input("x", onnx_shape_of({4, 8})).input("mask", onnx_shape_of({4, 8}), onnx_type::boolean);
    all.weight("w", {8, 8}).weight("table", {100, 8}).weight("half", {}).weight("scale", {8});
    all.input("ids", onnx_shape_of({4}), onnx_type::int64);
    all.node("MatMul", {"x", "w"}, {"q"}).node("Mul", {"q", "half"}, {"h"}).node("Mul", {"h", "scale"}, {"s"});
    all.node("Where", {"mask", "s", "half"}, {"m"})
        .node("Gather", {"table", "ids"}, {"e"})
        .node("Mul", {"m", "e"}, {"p"});
    all.node("Cast", {"mask"}, {"f"}, {{"to", std::int64_t{1}}})
        .node("Add", {"p", "f"}, {"a"})
        .node("ArgMax", {"a"}, {"r"});
    all.result("a").result("r");
    auto const net = onnx_network(all.m);
    auto const& nodes = net.nodes();
    CHECK(nodes[0].bwd_operands == positions{0});  // x, for the gradient of w
    CHECK(nodes[1].bwd_operands == positions{});   // by a number
    CHECK(nodes[2].bwd_operands == positions{0});  // for the gradient of scale
    CHECK(nodes[3].bwd_operands == positions{0});  // the mask alone
    CHECK(nodes[4].bwd_operands == positions{0});  // the indices
    CHECK(nodes[5].bwd_operands == positions{0, 1});
    CHECK(!nodes[6].has_gradient);
    CHECK(nodes[7].bwd_operands == positions{});
    CHECK(!nodes[8].has_gradient);
    for (std::size_t const v : {0U, 1U, 2U, 3U, 4U, 5U, 7U}) CHECK(nodes[v].has_gradient);
    CHECK(nodes[1].inplace_src == 0);  // its gradient does not read what it overwrites
    CHECK(!nodes[2].inplace);
    for (auto const how : {convention::value_grad, convention::op_backward, convention::executable}) {
        auto const training = io::make_training_graph(net, how);
        CHECK(std::ranges::none_of(training.origin, [](auto const& o) {
            return o.pass != pass::forward && (o.vertex == 6 || o.vertex == 8);
        }));
        CHECK(keep_all(training).cost.peak > 0);
    }
}

TEST_CASE("what gradients read is what PyTorch saves", "[onnx][data]") {
    std::ifstream file(onnx_data("gradient_reads.json"));
    auto const table = nlohmann::json::parse(file);
    CHECK(table.size() >= 60);
    // Zero almost everywhere: PyTorch has a gradient, which reads nothing, and we have none.
    name_list const zero{"Ceil", "Floor", "Round", "Sign"};
    // Of these PyTorch's in-place variants read the output instead.
    name_list const by_output{"Elu", "Selu"};
    for (auto const& [op, row] : table.items()) {
        CAPTURE(op);
        io::detail::gradient_reads const ours(op);
        CHECK(ours.is_known());
        if (std::ranges::count(zero, op) + std::ranges::count(by_output, op) > 0) continue;
        std::size_t last = 0;  // operands behind it are optional ones that nobody has tried
        for (auto const& k : row.at("inputs")) last = std::max(last, k.get<std::size_t>());
        for (auto const& [operand, reads] : row.at("operands").items()) {
            CAPTURE(operand);
            auto const j = std::stoul(operand);
            CHECK(ours.passes(j));
            // What is saved beside may be had from an input or output that ours reads instead.
            bool const exact = reads.at("extra").empty();
            auto const listed = [&](char const* field, std::size_t k) {
                return std::ranges::find(reads.at(field), nlohmann::json(k)) != reads.at(field).end();
            };
            for (std::size_t k = 0; k <= last; ++k)
                CHECK((exact ? ours.reads_operand(j, k) == listed("inputs", k)
                             : ours.reads_operand(j, k) || !listed("inputs", k)));
            for (std::size_t k = 0; k < 3; ++k)
                CHECK((exact ? ours.reads_output(j, k) == listed("outputs", k)
                             : ours.reads_output(j, k) || !listed("outputs", k)));
        }
    }
}

TEST_CASE("what several gradients of an operator read is what any of them reads", "[onnx]") {
    for (auto const* const op : {"Conv", "Einsum", "Max", "Sum", "Where", "LSTM", "DeformConv", "Split", "Unknown"})
        for (std::uint32_t chosen = 0; chosen < 1U << 6U; ++chosen) {
            CAPTURE(op, chosen);
            io::detail::gradient_reads const table(op);
            io::detail::gradient_union all;
            std::vector<std::size_t> operands;
            for (std::size_t j = 0; j < 6; ++j)
                if ((chosen >> j & 1U) != 0 && table.passes(2 * j)) operands.push_back(2 * j);
            for (auto const j : operands) all.add(table, j);
            for (std::size_t k = 0; k < 14; ++k) {
                CHECK(all.reads_operand(k) ==
                      std::ranges::any_of(operands, [&](auto const j) { return table.reads_operand(j, k); }));
                CHECK(all.reads_output(k) ==
                      std::ranges::any_of(operands, [&](auto const j) { return table.reads_output(j, k); }));
            }
        }
}

TEST_CASE("the gradient of a mask of attention reads all that attention reads", "[onnx]") {
    model_maker all;
    all.m.opsets[""] = 23;
    for (auto const* name : {"q", "k", "v"}) all.input(name, onnx_shape_of({1, 2, 4, 8}));
    all.weight("bias", {4, 4}).node("Attention", {"q", "k", "v", "bias"}, {"y"}).result("y");
    auto const net = onnx_network(all.m);
    auto const& node = net.node(0);
    CHECK(node.bwd_operands == positions{0, 1, 2});
    CHECK(node.bwd_outputs == positions{0, 1});
}

TEST_CASE("a pool of regions saves the regions and where the maxima are, not its images", "[onnx]") {
    model_maker all;
    all.input("images", onnx_shape_of({1, 3, 8, 8})).input("regions", onnx_shape_of({5, 5})).weight("w", {8, 3, 1, 1});
    all.node("Conv", {"images", "w"}, {"c"});
    all.node("MaxRoiPool", {"c", "regions"}, {"y"}, {{"pooled_shape", std::vector<std::int64_t>{2, 2}}}).result("y");
    auto const pool = onnx_network(all.m).node(1);
    CHECK(pool.bwd_operands == positions{1});
    CHECK(pool.outputs_memory == std::vector<bytes>{5 * 8 * 4 * 4, 5 * 8 * 4 * 4});
    CHECK(pool.bwd_outputs == positions{1});
}

TEST_CASE("indices beside values have no gradient, and running statistics send none", "[onnx]") {
    model_maker all;
    all.input("x", onnx_shape_of({4, 8})).weight("w", {8, 8}).list("k", {2});
    all.node("MatMul", {"x", "w"}, {"h"}).node("TopK", {"h", "k"}, {"v", "i"});
    all.node("GatherElements", {"h", "i"}, {"g"}, {{"axis", std::int64_t{1}}}).node("Add", {"v", "g"}, {"y"});
    auto const net = onnx_network(all.result("y").m);
    CHECK(node_called(net, "TopK").gradient_outputs == positions{0});
    CHECK(!node_called(net, "MatMul").gradient_outputs);
    auto const training = io::make_training_graph(net, convention::executable);
    for (std::size_t value = 0; value < training.gradient_of.size(); ++value)
        if (training.gradient_of[value] != no_value) CHECK(training.gradient_of[value] != 2);  // the indices

    model_maker norm;
    norm.input("x", onnx_shape_of({1, 3, 8, 8})).weight("w", {8, 3, 1, 1}).node("Conv", {"x", "w"}, {"c"});
    for (auto const* p : {"s", "b", "m", "v"}) norm.weight(p, {8});
    norm.node("BatchNormalization", {"c", "s", "b", "m", "v"}, {"n", "mean", "variance"},
              {{"training_mode", std::int64_t{1}}});
    norm.node("ArgMax", {"n"}, {"r"}).result("r").result("mean");
    auto const without = onnx_network(norm.m);
    for (auto const& node : without.nodes()) CHECK(!node.has_gradient);
}
