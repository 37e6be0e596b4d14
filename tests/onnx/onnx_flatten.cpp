// Covers onnx/onnx_flatten.hpp.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <repebble/graph/error.hpp>
#include <repebble/onnx/onnx_flatten.hpp>

#include "onnx_models.hpp"
#include "support/catch.hpp"
#include "support/throws.hpp"

using namespace onnx_models;
using repebble::bad_graph;
using repebble::limit_reached;
using support::throws;

namespace {

auto reference(std::string name, std::string of) -> onnx_attribute {
    return {.name = std::move(name), .value = {}, .reference = std::move(of)};
}

auto call(std::string function, std::vector<std::string> inputs, std::vector<std::string> outputs,
          std::vector<onnx_attribute> attributes = {}) -> onnx_node {
    auto n = node(std::move(function), std::move(inputs), std::move(outputs), std::move(attributes));
    n.domain = "my";
    return n;
}

auto flat_model(std::vector<onnx_node> nodes, std::vector<onnx_function> functions = {}) -> onnx_model {
    return {
        .opsets = {{"", 20}},
        .graph = {.nodes = std::move(nodes), .inputs = {value("x", {{2, 3}})}, .outputs = {value("y", std::nullopt)}},
        .functions = std::move(functions)};
}

auto operators(onnx_model const& model) -> std::vector<std::string> {
    std::vector<std::string> names;
    for (auto const& n : model.graph.nodes) names.push_back(n.op_type);
    return names;
}

using names = std::vector<std::string>;

}  // namespace

TEST_CASE("calls of functions become their nodes, with names and attributes of each call", "[io]") {
    onnx_function const reduce{
        .name = "reduce",
        .domain = "my",
        .inputs = {"in", "unused"},
        .outputs = {"out"},
        .nodes = {node("Relu", {"in"}, {"h"}), node("ReduceSum", {"h"}, {"out"},
                                                    {reference("axes", "along"), reference("keepdims", "keep"),
                                                     reference("noop_with_empty_axes", "nobody_gives_it")})},
        .attributes = {"along"},
        .defaults = {attr("keep", 0)}};
    auto const model = flat_model(
        {call("reduce", {"x"}, {"a"}, {attr("along", extents{0})}),
         call("reduce", {"x"}, {"b"}, {attr("along", extents{0}), attr("keep", 1)}), node("Add", {"a", "b"}, {"y"})},
        {reduce});
    auto const flat = flatten(model);
    CHECK(flat.functions.empty());
    CHECK(operators(flat) == names{"Relu", "ReduceSum", "Relu", "ReduceSum", "Add"});
    CHECK(flat.graph.nodes[0].outputs != flat.graph.nodes[2].outputs);
    CHECK(flat.graph.nodes[1].attributes.size() == 2);
    auto const known = infer_shapes(flat);
    CHECK(known.at("a").shape == extents{3});
    CHECK(known.at("b").shape == extents{1, 3});
    CHECK(known.at("a::h").shape == extents{2, 3});
}

TEST_CASE("functions call functions, hand inputs through, and leave outputs unwanted", "[io]") {
    onnx_function const inner{
        .name = "inner", .domain = "my", .inputs = {"a"}, .outputs = {"b", "a"}, .nodes = {node("Neg", {"a"}, {"b"})}};
    onnx_function const outer{.name = "outer",
                              .domain = "my",
                              .inputs = {"a"},
                              .outputs = {"c"},
                              .nodes = {call("inner", {"a"}, {"h", "same"}), node("Add", {"h", "same"}, {"c"})}};
    auto const flat =
        flatten(flat_model({call("outer", {"x"}, {"y"}), call("inner", {"x"}, {"", "z"})}, {inner, outer}));
    CHECK(operators(flat) == names{"Neg", "Identity", "Add", "Neg", "Identity"});
    auto const known = infer_shapes(flat);
    CHECK(known.at("y").shape == extents{2, 3});
    CHECK(known.at("z").shape == extents{2, 3});
}

TEST_CASE("functions in graphs inside of nodes are inlined, and their captured names follow", "[io]") {
    onnx_graph const body{.nodes = {call("twice", {"a"}, {"b"})}, .outputs = {value("b", std::nullopt)}};
    onnx_function const twice{
        .name = "twice", .domain = "my", .inputs = {"v"}, .outputs = {"w"}, .nodes = {node("Add", {"v", "v"}, {"w"})}};
    onnx_function const choose{
        .name = "choose",
        .domain = "my",
        .inputs = {"a", "if"},
        .outputs = {"r"},
        .nodes = {node("If", {"if"}, {"r"}, {attr("then_branch", body), attr("else_branch", body)})}};
    auto model = flat_model({call("choose", {"x", "c"}, {"y"})}, {twice, choose});
    model.graph.inputs.push_back(value("c", {{}}, onnx_type::boolean));
    auto const flat = flatten(model);
    CHECK(operators(flat) == names{"If"});
    CHECK(infer_shapes(flat).at("y").shape == extents{2, 3});
    model.graph.initializers["c"] = *whole({1}, extents{}, onnx_type::boolean).tensor;
    CHECK(operators(flatten(model)) == names{"Add"});
}

TEST_CASE("functions whose inner values have the same names call one another", "[io]") {
    onnx_function const inner{.name = "inner",
                              .domain = "my",
                              .inputs = {"a"},
                              .outputs = {"b"},
                              .nodes = {node("Relu", {"a"}, {"c"}), node("Tanh", {"c"}, {"b"})}};
    onnx_function const outer{.name = "outer",
                              .domain = "my",
                              .inputs = {"a"},
                              .outputs = {"b"},
                              .nodes = {node("Sigmoid", {"a"}, {"c"}), call("inner", {"c"}, {"b"})}};
    auto const nested = flatten(flat_model({call("outer", {"x"}, {"y"})}, {inner, outer}));
    CHECK(operators(nested) == names{"Sigmoid", "Relu", "Tanh"});
    CHECK(infer_shapes(nested).at("y").shape == extents{2, 3});
    CHECK(nested.graph.nodes[1].outputs == names{"y_2::c"});
    auto const own_name = flatten(flat_model({node("Neg", {"x"}, {"y::c"}), call("inner", {"y::c"}, {"y"})}, {inner}));
    CHECK(infer_shapes(own_name).at("y").shape == extents{2, 3});
    onnx_graph const branch{.nodes = {node("Neg", {"x"}, {"c"}), node("Abs", {"c"}, {"d"})},
                            .outputs = {value("d", std::nullopt)}};
    auto chosen = flat_model({node("Neg", {"x"}, {"y::c"}),
                              node("If", {"true"}, {"y"}, {attr("then_branch", branch), attr("else_branch", branch)})});
    chosen.graph.initializers["true"] = *whole({1}, extents{}, onnx_type::boolean).tensor;
    CHECK(infer_shapes(flatten(chosen)).at("y").shape == extents{2, 3});
}

TEST_CASE("an attribute that a function's nodes refer to is spent for at each of them", "[io]") {
    onnx_graph body{
        .inputs = {value("i", {{}}, onnx_type::int64), value("k", {{}}, onnx_type::boolean), value("s", std::nullopt)},
        .outputs = {value("k", std::nullopt), value("t", std::nullopt)}};
    for (int i = 0; i < 20; ++i) body.nodes.push_back(node("Neg", {"s"}, {"n" + std::to_string(i)}));
    body.nodes.push_back(node("Neg", {"s"}, {"t"}));
    onnx_function f{.name = "f", .domain = "my", .inputs = {"a"}, .outputs = {"b"}, .attributes = {"body"}};
    for (int i = 0; i < 1'000; ++i) {
        f.nodes.push_back(node("Loop", {"", "", i == 0 ? "a" : "v" + std::to_string(i)},
                               {i == 999 ? "b" : "v" + std::to_string(i + 1)}));
        f.nodes.back().attributes.push_back(reference("body", "body"));
    }
    auto model = flat_model({call("f", {"x"}, {"y"}, {attr("body", body)})}, {f});
    CHECK(infer_shapes(flatten(model)).at("y").shape == extents{2, 3});
    CHECK(throws<limit_reached>([&] { return flatten(model, {}, read_account({}, 5 << 20)); }, {"5.00 MiB of memory"}));
}

TEST_CASE("calls that cannot be inlined are errors that name them", "[io]") {
    onnx_function const self{
        .name = "self", .domain = "my", .inputs = {"a"}, .outputs = {"b"}, .nodes = {call("self", {"a"}, {"b"})}};
    CHECK(throws<bad_graph>([&] { return flatten(flat_model({call("self", {"x"}, {"y"})}, {self})); },
                            {"my.self", "itself"}));
    onnx_function const negate{
        .name = "negate", .domain = "my", .inputs = {"a"}, .outputs = {"b"}, .nodes = {node("Neg", {"a"}, {"b"})}};
    auto const surplus = flat_model({call("negate", {"x", "x"}, {"y"})}, {negate});
    CHECK(throws<bad_graph>([&] { return flatten(surplus); }, {"the_negate", "more"}));
    std::vector<onnx_function> doubling;
    for (int i = 0; i < 40; ++i) {
        auto const next = "f" + std::to_string(i + 1);
        doubling.push_back({.name = "f" + std::to_string(i),
                            .domain = "my",
                            .inputs = {"a"},
                            .outputs = {"c"},
                            .nodes = {call(next, {"a"}, {"b"}), call(next, {"b"}, {"c"})}});
    }
    CHECK(throws<limit_reached>([&] { return flatten(flat_model({call("f0", {"x"}, {"y"})}, doubling), {}, read_account({}, 5 << 20)); },
                                {"node '", "memory"}));
    std::vector<onnx_function> chain;
    for (int i = 0; i < 1'000; ++i)
        chain.push_back({.name = "f" + std::to_string(i),
                         .domain = "my",
                         .inputs = {"a"},
                         .outputs = {"b"},
                         .nodes = {call("f" + std::to_string(i + 1), {"a"}, {"b"})}});
    CHECK(throws<bad_graph>([&] { return flatten(flat_model({call("f0", {"x"}, {"y"})}, chain)); }, {"deep"}));
}

TEST_CASE("constants as nodes become initializers", "[io]") {
    onnx_tensor two{.type = onnx_type::int64, .shape = {2}, .integers = extents{3, 2}};
    auto const flat = flatten(flat_model({node("Constant", {}, {"s"}, {attr("value", two)}),
                                          node("Constant", {}, {"f"}, {attr("value_ints", extents{1})}),
                                          node("Reshape", {"x", "s"}, {"y"})}));
    CHECK(operators(flat) == names{"Reshape"});
    two.is_constant = true;
    CHECK(flat.graph.initializers.at("s") == two);
    CHECK(flat.graph.initializers.at("f").integers == extents{1});
    CHECK(infer_shapes(flat).at("y").shape == extents{3, 2});
}

TEST_CASE("branches of known conditions take the place of their node, nested ones too", "[io]") {
    // A branch for matrices that asks again, as exporters write a squeeze.
    onnx_graph const inner{.nodes = {node("Neg", {"h"}, {"o"})}, .outputs = {value("o", std::nullopt)}};
    onnx_graph const other{.nodes = {}, .outputs = {value("h", std::nullopt)}};
    onnx_graph const yes{
        .nodes = {node("Add", {"x", "one"}, {"h"}),
                  node("If", {"is_two"}, {"deep"}, {attr("then_branch", inner), attr("else_branch", other)})},
        .outputs = {value("deep", std::nullopt)},
        .initializers = {{"one", *reals({1}).tensor}},
        .values = {value("h", {{"batch", 3}})}};
    onnx_graph const no{.nodes = {node("Relu", {"x"}, {"h"})}, .outputs = {value("h", std::nullopt)}};
    auto model = flat_model({node("Shape", {"x"}, {"s"}), node("Gather", {"s", "zero"}, {"batch_size"}),
                             node("Equal", {"batch_size", "two"}, {"is_two"}),
                             node("If", {"is_two"}, {"y"}, {attr("then_branch", yes), attr("else_branch", no)})});
    model.graph.inputs[0] = value("x", {{"batch", 3}});
    model.graph.initializers["zero"] = *scalar(0).tensor;
    model.graph.initializers["two"] = *scalar(2).tensor;
    auto const two = flatten(model, {{"batch", 2}});
    CHECK(operators(two) == names{"Shape", "Gather", "Equal", "Add", "Neg"});
    CHECK(two.graph.nodes.back().outputs == names{"y"});
    CHECK(two.graph.initializers.contains("y::one"));
    CHECK(infer_shapes(two, {{"batch", 2}}).at("y").shape == extents{2, 3});
    auto const three = flatten(model, {{"batch", 3}});
    CHECK(operators(three) == names{"Shape", "Gather", "Equal", "Relu"});
    auto const unknown = flatten(model);
    CHECK(operators(unknown).back() == "If");
}

TEST_CASE("a branch that hands on a value from around it is a copy", "[io]") {
    onnx_graph const same{.outputs = {value("x", std::nullopt), value("x", std::nullopt)}};
    auto model = flat_model({node("If", {"c"}, {"y", "z"}, {attr("then_branch", same), attr("else_branch", same)})});
    model.graph.initializers["c"] = *whole({0}, extents{1}, onnx_type::boolean).tensor;
    auto const flat = flatten(model);
    CHECK(operators(flat) == names{"Identity", "Identity"});
    CHECK(infer_shapes(flat).at("z").shape == extents{2, 3});
}

TEST_CASE("branches of known conditions are inlined in graphs inside of nodes, too", "[io]") {
    onnx_graph const yes{.nodes = {node("Mul", {"state", "w"}, {"m"})},
                         .outputs = {value("m", std::nullopt)},
                         .initializers = {{"w", *reals({1}).tensor}}};
    onnx_graph const no{.nodes = {node("Neg", {"state"}, {"n"})}, .outputs = {value("n", std::nullopt)}};
    auto const branch = [&](std::string const& condition, std::string const& made) {
        return node("If", {condition}, {made}, {attr("then_branch", yes), attr("else_branch", no)});
    };
    onnx_graph const body{
        .nodes = {branch("own", "a"), branch("around", "b"), branch("hidden", "c"), node("Sum", {"a", "b", "c"}, {"s"}),
                  node("Identity", {"hidden"}, {"next"})},
        .inputs = {value("i", std::vector<onnx_extent>{}, onnx_type::int64),
                   value("hidden", std::vector<onnx_extent>{}, onnx_type::boolean), value("state", std::nullopt)},
        .outputs = {value("next", std::nullopt), value("s", std::nullopt)},
        .initializers = {{"own", *whole({1}, extents{}, onnx_type::boolean).tensor}}};
    auto model = flat_model({node("Loop", {"trips", "", "x"}, {"y"}, {attr("body", body)})});
    model.graph.initializers["trips"] = *scalar(3).tensor;
    for (auto const* const name : {"around", "hidden"})
        model.graph.initializers[name] = *whole({0}, extents{}, onnx_type::boolean).tensor;
    auto const flat = flatten(model);
    auto const& inner = std::get<std::vector<onnx_graph>>(flat.graph.nodes.front().attributes.front().value).front();
    names operators_inside;
    for (auto const& n : inner.nodes) operators_inside.push_back(n.op_type);
    CHECK(operators_inside == names{"Mul", "Neg", "If", "Sum", "Identity"});
    CHECK(inner.initializers.contains("a::w"));
    CHECK(infer_shapes(flat).at("y").shape == extents{2, 3});
}
