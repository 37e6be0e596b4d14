// Covers onnx/onnx_network.hpp, io/roofline.hpp.
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <repebble/allocate/write_in_place.hpp>
#include <repebble/io/json_network.hpp>
#include <repebble/io/network_in_place.hpp>
#include <repebble/io/network_training.hpp>
#include <repebble/io/roofline.hpp>
#include <repebble/networks/by_name.hpp>
#include <repebble/networks/network_of.hpp>
#include <repebble/onnx/onnx_network.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/recompute/keep_all.hpp>

#include "model_maker.hpp"
#include "support/catch.hpp"
#include "support/throws.hpp"

using namespace repebble;
using namespace onnx_models;
using io::onnx_network;
using support::throws;

namespace {

/// Two layers of a perceptron over a batch of 4.
auto perceptron() -> model_maker {
    model_maker all;
    all.input("x", onnx_shape_of({4, 8})).weight("w1", {8, 16}).weight("b1", {16}).weight("w2", {16, 2});
    all.node("Gemm", {"x", "w1", "b1"}, {"h"})
        .node("Relu", {"h"}, {"a"})
        .node("MatMul", {"a", "w2"}, {"y"})
        .result("y");
    return all;
}

}  // namespace

TEST_CASE("an ONNX model becomes a network: sizes, FLOPs, traffic, times, parameters", "[onnx]") {
    auto const net = onnx_network(perceptron().m, {.device = {1e9, 1e9}}, "p");
    CHECK(net.name() == "p");
    CHECK(ops_of(net) == name_list{"Gemm", "Relu", "MatMul"});
    auto const& gemm = net.node(0);
    CHECK(gemm.memory == 4 * 16 * 4);
    CHECK(gemm.extra.at("flops") == 2 * 4 * 16 * 8);
    CHECK(gemm.extra.at("bytes") == (4 * 8 + 8 * 16 + 16 + 4 * 16) * 4);
    CHECK(gemm.time == 1024);  // its arithmetic: 960 bytes take less
    CHECK(net.node(1).time == 512);
    CHECK(gemm.extra.at("shape") == nlohmann::json{4, 16});
    CHECK(gemm.extra.at("dtype") == "float32");
    CHECK(gemm.extra.at("params_bytes") == (8 * 16 + 16) * 4);
    CHECK(gemm.reads == std::vector<io::node_operand>{{.outside = "x"}});
    CHECK(net.node(2).results == positions{0});
    CHECK(net.extra().at("input_bytes") == 4 * 8 * 4);
    CHECK(net.extra().at("total_params_bytes") == (8 * 16 + 16 + 16 * 2) * 4);
    auto const& parameters = net.extra().at("parameters");
    CHECK(parameters.at(gemm.extra.at("parameters").at(0).get<std::size_t>()).at("name") == "b1");
    CHECK(io::parse_network(io::to_text(net)) == net);
}

TEST_CASE("what depends on constants and on shapes only is no node, and what nobody reads neither", "[onnx]") {
    model_maker all = perceptron();
    all.node("Shape", {"y"}, {"s"}).node("ConstantOfShape", {"s"}, {"zeros"}).node("Transpose", {"w1"}, {"t"});
    all.node("Sigmoid", {"a"}, {"nobody"}).node("Add", {"y", "zeros"}, {"z"}).node("MatMul", {"z", "t2"}, {"r"});
    all.weight("w3", {4, 2});
    all.m.graph.nodes.insert(all.m.graph.nodes.begin(), {.op_type = "Transpose", .inputs = {"w3"}, .outputs = {"t2"}});
    all.m.graph.outputs = {{.name = "r"}, {.name = "s"}};
    auto const net = onnx_network(all.m);
    CHECK(ops_of(net) == name_list{"Gemm", "Relu", "MatMul", "Add", "MatMul"});
    CHECK(net.node(4).extra.at("params_bytes") == 4 * 2 * 4);  // through its transpose
}

TEST_CASE("of the example of CastLike only the type is read, and outputs keep their names", "[onnx]") {
    model_maker all;
    all.input("x", onnx_shape_of({2, 3})).input("like", {"n"}, onnx_type::float16);
    all.node("CastLike", {"x", "like"}, {"y"}).result("y");
    auto const net = onnx_network(all.m, inference_only());
    CHECK(net.node(0).memory == 2 * 3 * 2);
    CHECK(net.node(0).extra.at("bytes") == 2 * 3 * (4 + 2));
    CHECK(net.node(0).extra.at("output_names") == nlohmann::json{"y"});
}

TEST_CASE("views own nothing; a view of an input is the input", "[onnx]") {
    model_maker all;
    all.input("x", onnx_shape_of({2, 3, 4})).list("flat", {2, -1}).list("axis", {0});
    all.node("Reshape", {"x", "flat"}, {"r"}).node("Exp", {"r"}, {"e"}).node("Unsqueeze", {"e", "axis"}, {"u"});
    all.node("Identity", {"u"}, {"i"}).node("Neg", {"i"}, {"n"}).node("Cast", {"n"}, {"c"}, {{"to", std::int64_t{1}}});
    all.result("c").result("i");
    auto const net = onnx_network(all.m, inference_only());
    CHECK(ops_of(net) == name_list{"Exp", "Unsqueeze", "Identity", "Neg", "Cast"});
    CHECK(net.node(0).reads == std::vector<io::node_operand>{{.outside = "x"}});
    for (std::size_t const v : {1U, 2U}) {
        CHECK(net.node(v).alias_of == 0);
        CHECK(net.node(v).memory == 0);
        CHECK(net.node(v).time == 0);
        CHECK(net.node(v).extra.at("view_bytes") == 96);
    }
    CHECK(net.node(4).alias_of == 3);
    CHECK(net.node(2).results == positions{0});
}

TEST_CASE("in inference an operation writes over an operand of its shape and type, a fused sum over what is added",
          "[onnx]") {
    model_maker all;
    all.input("x", onnx_shape_of({2, 4, 8, 8})).weight("low", {}).weight("high", {}).weight("w", {4, 4, 1, 1});
    all.weight("b", {4}).node("Exp", {"x"}, {"e"}).node("Clip", {"e", "low", "high"}, {"c"});
    all.node("Conv", {"c", "w"}, {"k"}).node("Sum", {"k", "c"}, {"s"}).node("FusedConv", {"s", "w", "b", "k"}, {"f"});
    all.m.graph.nodes.back().domain = "com.microsoft";
    all.m.opsets["com.microsoft"] = 1;
    auto const net = onnx_network(all.node("ReduceSum", {"f"}, {"r"}).result("r").m, inference_only());
    auto const& nodes = net.nodes();
    CHECK(!nodes[0].inplace);  // the caller has x
    CHECK(nodes[1].inplace_src == 0);
    CHECK(!nodes[2].inplace);
    CHECK(nodes[3].inplace_src == 2);
    CHECK(nodes[4].inplace_src == 2);
    CHECK(!nodes[5].inplace);
}

TEST_CASE("a fused sum of a convolution and its own input is not written over it", "[onnx]") {
    model_maker all;
    all.input("x", onnx_shape_of({2, 4, 8, 8})).weight("w", {4, 4, 1, 1}).weight("b", {4});
    all.node("Conv", {"x", "w"}, {"c"}).node("FusedConv", {"c", "w", "b", "c"}, {"f"});
    all.m.graph.nodes.back().domain = "com.microsoft";
    all.m.opsets["com.microsoft"] = 1;
    CHECK(!onnx_network(all.result("f").m, inference_only()).node(1).inplace);
}

TEST_CASE("an operator of another domain is not taken for ONNX's of the same name", "[onnx]") {
    model_maker all = perceptron();
    all.m.graph.nodes[1].domain = "own";
    all.m.graph.values.push_back(
        {.name = "a", .type = onnx_type::float32, .shape = {{std::int64_t{4}, std::int64_t{16}}}});
    auto const net = onnx_network(all.m, inference_only());
    CHECK(net.node(1).op == "own." + all.m.graph.nodes[1].op_type);
    CHECK(!net.node(1).inplace);
    all.m.graph.nodes[2].domain = "own";
    all.m.graph.values.push_back(
        {.name = "y", .type = onnx_type::float32, .shape = {{std::int64_t{4}, std::int64_t{2}}}});
    CHECK(onnx_network(all.m, inference_only()).node(2).extra.at("flops") == 0);
}

TEST_CASE("nodes of one name are told apart by numbers, however many", "[onnx]") {
    model_maker all;
    all.input("x", onnx_shape_of({4})).node("Neg", {"x"}, {"a"}).node("Neg", {"a"}, {"b"}).node("Neg", {"b"}, {"c"});
    for (auto& node : all.m.graph.nodes) node.name = "same";
    auto const net = onnx_network(all.result("c").m);
    CHECK(net.node(0).name == "same");
    CHECK(net.node(1).name == "same_2");
    CHECK(net.node(2).name == "same_3");
}

TEST_CASE("an operator that is not known works with declared shapes, and its gradient reads all", "[onnx]") {
    model_maker all = perceptron();
    all.m.graph.nodes[1] = {.op_type = "Fancy", .domain = "own", .inputs = {"h"}, .outputs = {"a"}};
    CHECK(throws<bad_graph>([&] { return onnx_network(all.m); }, {"the shape of 'a' is not known", "Fancy"}));
    all.m.graph.values.push_back({"a", onnx_type::float32, onnx_shape_of({4, 16})});
    auto const net = onnx_network(all.m);
    CHECK(net.node(1).bwd_operands == positions{0});
    CHECK(net.node(1).bwd_outputs == positions{0});
    CHECK(!net.node(1).inplace);
}

TEST_CASE("open extents are given by name, by axis or as the batch", "[onnx]") {
    model_maker all;
    all.input("x", {std::string("n"), std::string(), std::int64_t{4}})
        .input("y", {std::string("n"), std::int64_t{1}, std::int64_t{4}});
    all.node("Add", {"x", "y"}, {"z"}).result("z");
    auto const memory = [&](io::onnx_options const& options) { return onnx_network(all.m, options).node(0).memory; };
    CHECK(memory({.dimensions = {{"n", 2}, {"x[1]", 3}}}) == 2 * 3 * 4 * 4);
    CHECK(memory({.dimensions = {{"x[1]", 3}}, .batch = 5}) == 5 * 3 * 4 * 4);
    CHECK(memory({.dimensions = {{"n", 2}, {"x[1]", 3}}, .batch = 5}) == 2 * 3 * 4 * 4);
    auto const refused = [&](io::onnx_options const& options, std::initializer_list<std::string_view> words) {
        return throws<bad_graph>([&] { return onnx_network(all.m, options); }, words);
    };
    CHECK(refused({}, {"(Add)", "'z'", "give name=value for n, x[1]"}));
    CHECK(refused({.batch = 2}, {"give name=value for x[1]"}));
    CHECK(refused({.dimensions = {{"m", 2}}}, {"no input has a dimension m; open are n, x[1]"}));
    CHECK(refused({.dimensions = {{"n", 0}}}, {"dimension n must be at least 1, not 0"}));
    // Where the file fixes all, a batch is another number for its first extents.
    CHECK(onnx_network(perceptron().m, {.batch = 7}).node(0).memory == 7 * 16 * 4);
}

TEST_CASE("types of less than a byte are packed", "[onnx]") {
    model_maker all;
    all.input("x", onnx_shape_of({3}), onnx_type::int4).input("y", onnx_shape_of({3}), onnx_type::float8e4m3fn);
    all.list("twice", {3});
    all.node("Tile", {"x", "twice"}, {"z"}).node("Tile", {"y", "twice"}, {"w"}).result("z").result("w");
    auto const net = onnx_network(all.m, inference_only());
    CHECK(net.node(0).memory == 5);
    CHECK(net.node(1).memory == 9);
}

TEST_CASE("nodes have names of their own", "[onnx]") {
    model_maker all;
    all.input("x", onnx_shape_of({2}));
    for (auto const& [name, from, to] : {std::tuple{"n", "x", "a"}, {"n", "a", "b"}, {"", "b", "c"}, {"n_2", "c", "d"}})
        all.m.graph.nodes.push_back({.name = name, .op_type = "Neg", .inputs = {from}, .outputs = {to}});
    all.result("d");
    auto const net = onnx_network(all.m);
    name_list names;
    for (auto const& node : net.nodes()) names.push_back(node.name);
    CHECK(names == name_list{"n", "n_2", "Neg_2", "n_2_2"});
}

TEST_CASE("a model that is not whole is refused", "[onnx]") {
    model_maker all;
    all.input("x", onnx_shape_of({2})).node("Neg", {"nobody"}, {"y"}).result("y");
    CHECK(throws<bad_graph>([&] { return onnx_network(all.m); }, {"'nobody'", "Neg"}));
    model_maker more;
    more.input("x", onnx_shape_of({2})).node("Neg", {"x"}, {"y"}).result("z");
    CHECK(throws<bad_graph>([&] { return onnx_network(more.m); }, {"output 'z' of the graph is made by no node"}));
    model_maker large;
    large.input("x", onnx_shape_of({std::int64_t{1} << 31, std::int64_t{1} << 31}))
        .node("Neg", {"x"}, {"y"})
        .result("y");
    CHECK(throws<bad_weight>([&] { return onnx_network(large.m); }, {"(Neg)", "'x'", "overflow"}));
}

TEST_CASE("a graph inside of a node reads what is around it", "[onnx]") {
    model_maker all;
    all.input("x", onnx_shape_of({2, 4})).input("go", {}, onnx_type::boolean);
    io::onnx_graph branch;
    branch.nodes.push_back({.op_type = "Neg", .inputs = {"e"}, .outputs = {"b"}});
    branch.outputs.push_back({.name = "b"});
    all.node("Exp", {"x"}, {"e"});
    all.node("If", {"go"}, {"y"}, {{"then_branch", std::vector{branch}}, {"else_branch", std::vector{branch}}});
    all.m.graph.outputs.push_back({"y", onnx_type::float32, onnx_shape_of({2, 4})});
    auto const net = onnx_network(all.m);
    CHECK(ops_of(net) == name_list{"Exp", "If"});
    CHECK(net.node(1).reads == std::vector<io::node_operand>{{.outside = "go"}, {.of = {0, 0}}});
}

TEST_CASE("FLOPs of products by an equation, of recurrent layers and of attention", "[onnx]") {
    auto const flops = [](model_maker& all) {
        return onnx_network(all.m, inference_only()).node(0).extra.at("flops").get<std::int64_t>();
    };
    model_maker einsum;
    einsum.input("a", onnx_shape_of({2, 3, 4, 5})).input("b", onnx_shape_of({3, 6, 5}));
    einsum.node("Einsum", {"a", "b"}, {"y"}, {{"equation", std::string("...ij,...kj->...ik")}}).result("y");
    CHECK(flops(einsum) == 2 * (2 * 3) * 4 * 5 * 6);
    model_maker lstm;
    lstm.input("x", onnx_shape_of({7, 2, 5})).weight("w", {1, 24, 5}).weight("r", {1, 24, 6});
    lstm.node("LSTM", {"x", "w", "r"}, {"y"}, {{"hidden_size", std::int64_t{6}}}).result("y");
    CHECK(flops(lstm) == 2 * 7 * 2 * (24 * 5 + 24 * 6));
    model_maker attention;
    attention.m.opsets[""] = 23;
    attention.input("q", onnx_shape_of({2, 4, 10, 8}))
        .input("k", onnx_shape_of({2, 4, 20, 8}))
        .input("v", onnx_shape_of({2, 4, 20, 8}));
    attention.node("Attention", {"q", "k", "v"}, {"y"}).result("y");
    CHECK(flops(attention) == 2 * (2 * 4 * 10 * 20 * 8) * 2);
    model_maker transposed;
    transposed.input("x", onnx_shape_of({1, 4, 5, 5})).weight("w", {4, 2, 3, 3});
    transposed.node("ConvTranspose", {"x", "w"}, {"y"}).result("y");
    CHECK(flops(transposed) == 2 * (4 * 25) * (2 * 9));
}

TEST_CASE("resnet50.onnx is trained as the network by name is", "[onnx][data]") {
    auto const file = io::read_onnx(onnx_data("resnet50.onnx.gz"));
    CHECK(file.name() == "resnet50");
    auto const built = networks::network_of(networks::by_name("resnet50", {.batch = 32}));
    auto const flops = [](io::network const& net) {
        std::int64_t sum = 0;
        for (auto const& node : net.nodes()) sum += node.extra.at("flops").get<std::int64_t>();
        return sum;
    };
    CHECK(flops(file) == flops(built));
    CHECK(file.extra().at("total_params_bytes") == built.extra().at("total_params_bytes"));
    auto const peak = [](io::network const& net) {
        return static_cast<double>(keep_all(io::make_training_graph(net)).cost.peak);
    };
    auto const ratio = peak(file) / peak(built);
    CHECK((ratio > 0.99 && ratio < 1.01));
}

TEST_CASE("all sizes of the recorded models are known", "[onnx][data]") {
    struct expected {
        char const* file;
        std::size_t nodes;
        bytes in_place;  // least memory of inference, results included
    };
    for (auto const& [name, nodes, in_place] : {expected{"bert_base", 333, 128'163'840},
                                                {"googlenet", 139, 128'450'560},
                                                {"resnet18_unfused", 69, 64'225'280},
                                                {"resnet50", 122, 231'211'008}}) {
        CAPTURE(name);
        auto const file = onnx_data(std::string(name) + ".onnx.gz");
        auto const net = io::read_onnx(file, inference_only());
        CHECK(net.nodes().size() == nodes);
        auto const forward = io::make_forward_dataflow(net);
        auto const schedule =
            write_in_place(forward.flow, keep_all(forward.flow).schedule, io::find_overwrites(net, forward));
        CHECK(replay(forward.flow, schedule).peak == in_place);
        CHECK(keep_all(io::make_training_graph(io::read_onnx(file))).cost.peak > in_place);
    }
}

TEST_CASE("a node that draws numbers runs in every run: a dropout of weights, a loop that adds noise", "[onnx]") {
    model_maker all;
    all.input("x", onnx_shape_of({4, 8})).weight("w", {4, 8}).weight("ratio", {}).list("trips", {3});
    all.m.graph.initializers["trips"].shape = {};
    all.m.graph.initializers["on"] = {onnx_type::boolean, {}, std::vector<std::int64_t>{1}};
    SECTION("a dropout") { all.node("Dropout", {"w", "ratio", "on"}, {"l"}); }
    SECTION("a loop") {
        io::onnx_graph body;
        body.inputs = {{.name = "i"}, {.name = "go"}, {.name = "state"}};
        body.nodes = {{.op_type = "RandomNormalLike", .inputs = {"state"}, .outputs = {"noise"}},
                      {.op_type = "Add", .inputs = {"state", "noise"}, .outputs = {"sum"}},
                      {.op_type = "Identity", .inputs = {"go"}, .outputs = {"on_"}}};
        body.outputs = {{.name = "on_"}, {.name = "sum"}};
        all.node("Loop", {"trips", "", "w"}, {"l"}, {{"body", std::vector{body}}});
    }
    auto const net = onnx_network(all.node("Mul", {"x", "l"}, {"y"}).result("y").m);
    REQUIRE(net.nodes().size() == 2);
    CHECK(net.node(0).has_gradient);
    CHECK(net.node(1).bwd_operands == positions{0});
    CHECK(net.extra().at("total_params_bytes") == 4 * 8 * 4);
}

TEST_CASE("overflows name the node, or the sum of the model", "[onnx]") {
    constexpr std::int64_t large = std::int64_t{1} << 57;
    model_maker flops;
    flops.input("x", onnx_shape_of({1 << 24, 1 << 20})).weight("w", {1 << 20, 1 << 24});
    flops.node("MatMul", {"x", "w"}, {"y"}).result("y");
    CHECK(throws<bad_weight>([&] { return onnx_network(flops.m); }, {"'y' (MatMul)", "operations overflows"}));
    model_maker traffic;
    traffic.input("x", onnx_shape_of({large})).node("Sum", name_list(20, "x"), {"y"}).result("y");
    CHECK(throws<bad_weight>([&] { return onnx_network(traffic.m); }, {"'y' (Sum)", "bytes overflows"}));
    model_maker skipped;  // the gates of all steps take more than what they are made of
    skipped.input("x", onnx_shape_of({std::int64_t{1} << 50, 1, 4}));
    skipped.weight("w", {1, 1 << 22, 4}).weight("r", {1, 1 << 22, 1 << 20});
    skipped.node("LSTM", {"x", "w", "r"}, {"", "h"}, {{"hidden_size", std::int64_t{1 << 20}}}).result("h");
    CHECK(throws<error>([&] { return onnx_network(skipped.m); }, {"'h' (LSTM)", "overflows"}));
    for (bool const trained : {false, true}) {
        model_maker sum;
        sum.input("i", onnx_shape_of({1}), onnx_type::int64);
        name_list rows;
        for (int k = 0; k < 20; ++k) {
            auto const name = "t" + std::to_string(k);
            trained ? sum.weight(name, {large / 2, 2}) : sum.input(name, onnx_shape_of({large}));
            sum.node("Gather", {name, "i"}, {rows.emplace_back(name + "_row")});
        }
        auto const what = trained ? "bytes of trained parameters overflows" : "input bytes overflows";
        CHECK(throws<bad_weight>([&] { return onnx_network(sum.node("Sum", rows, {"y"}).result("y").m); }, {what}));
    }
}
