// Covers onnx/detail/live_graph.hpp, onnx/onnx_network.hpp.
#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <repebble/onnx/onnx_network.hpp>

#include "model_maker.hpp"
#include "onnx_models.hpp"
#include "support/catch.hpp"
#include "support/throws.hpp"

using namespace repebble;
using namespace onnx_models;
using io::onnx_network;

namespace {

/// The names of the parameters that training changes.
auto trained_parameters(io::network const& net) -> name_list {
    name_list names;
    for (auto const& p : net.extra().at("parameters"))
        if (p.value("trained", true)) names.push_back(p.at("name"));
    return names;
}

/// Multiplies the value by its weight w.
auto weighted_branch(std::string const& value) -> io::onnx_graph {
    io::onnx_graph branch;
    branch.initializers["w"] = {onnx_type::float32, {8, 8}};
    branch.nodes.push_back({.op_type = "MatMul", .inputs = {value, "w"}, .outputs = {"b"}});
    branch.outputs.push_back({.name = "b"});
    return branch;
}

}  // namespace

TEST_CASE("a parameter is trained where a result sends a gradient to it", "[onnx]") {
    model_maker all;
    all.input("x", onnx_shape_of({4, 8})).weight("w", {8, 8}).weight("classes", {8, 8});
    all.node("MatMul", {"x", "w"}, {"h"}).node("MatMul", {"h", "classes"}, {"c"}).node("ArgMax", {"c"}, {"r"});
    all.result("h").result("r");
    auto const net = onnx_network(all.m);
    CHECK(trained_parameters(net) == name_list{"w"});
    CHECK(net.node(0).has_gradient);
    CHECK(!net.node(1).has_gradient);
    CHECK(!net.node(2).has_gradient);
    CHECK(net.extra().at("total_params_bytes") == 8 * 8 * 4);
}

TEST_CASE("weights of graphs inside of a node are its parameters, and trained", "[onnx]") {
    model_maker all;
    all.input("x", onnx_shape_of({4, 8})).input("go", {}, onnx_type::boolean);
    all.node("If", {"go"}, {"y"},
             {{"then_branch", std::vector{weighted_branch("x")}}, {"else_branch", std::vector{weighted_branch("x")}}});
    all.m.graph.outputs.push_back({"y", onnx_type::float32, onnx_shape_of({4, 8})});
    auto const net = onnx_network(all.m);
    REQUIRE(net.nodes().size() == 1);
    CHECK(trained_parameters(net).size() == 2);  // one of each branch, of one name in the file
    CHECK(net.node(0).has_gradient);
    CHECK(net.node(0).bwd_operands == positions{0, 1});
    CHECK(net.node(0).extra.at("params_bytes") == 2 * 8 * 8 * 4);
    CHECK(net.node(0).extra.at("parameters") == nlohmann::json({0, 1}));
    CHECK(net.extra().at("total_params_bytes") == 2 * 8 * 8 * 4);
    CHECK(net.node(0).extra.at("bytes") == (4 * 8 + 2 * 8 * 8 + 4 * 8) * 4 + 1);
}

TEST_CASE("weights of a branch that is taken are trained, and constants beside them not", "[onnx]") {
    model_maker all;
    all.input("x", onnx_shape_of({4, 8}));
    all.m.graph.initializers["go"] = {onnx_type::boolean, {}, std::vector<std::int64_t>{1}};
    all.node("Constant", {}, {"mask"}, {{"value", io::onnx_tensor{onnx_type::float32, {4, 8}}}});
    all.node("Mul", {"x", "mask"}, {"m"});
    all.node("If", {"go"}, {"y"},
             {{"then_branch", std::vector{weighted_branch("m")}}, {"else_branch", std::vector{weighted_branch("m")}}});
    all.result("y");
    auto const net = onnx_network(all.m);
    CHECK(ops_of(net) == name_list{"Mul", "MatMul"});
    CHECK(trained_parameters(net) == name_list{"y::w"});
    CHECK(!net.node(0).has_gradient);
    CHECK(net.node(1).has_gradient);
}

TEST_CASE("no gradient passes constants whose operator passes none", "[onnx]") {
    model_maker all;
    all.input("x", onnx_shape_of({4, 8})).weight("w", {8, 8}).weight("v", {8, 8}).weight("zero", {});
    SECTION("a shape") {
        all.node("Shape", {"v"}, {"s"}).node("Cast", {"s"}, {"f"}, {{"to", std::int64_t{1}}});
        all.node("ReduceProd", {"f"}, {"p"}, {{"keepdims", std::int64_t{0}}}).node("MatMul", {"x", "w"}, {"h"});
        all.node("Div", {"h", "p"}, {"y"});
    }
    SECTION("a mask") {
        all.node("Greater", {"v", "zero"}, {"s"}).node("Cast", {"s"}, {"f"}, {{"to", std::int64_t{1}}});
        all.node("Mul", {"w", "f"}, {"m"}).node("MatMul", {"x", "m"}, {"y"});
    }
    SECTION("indices") {
        all.node("ArgMax", {"v"}, {"s"}, {{"axis", std::int64_t{1}}, {"keepdims", std::int64_t{0}}});
        all.node("Gather", {"w", "s"}, {"f"}).node("MatMul", {"x", "f"}, {"y"});
    }
    CHECK(trained_parameters(onnx_network(all.result("y").m)) == name_list{"w"});
}

TEST_CASE("an initializer at which no gradient arrives leaves constants and inputs to training", "[onnx]") {
    model_maker all;
    all.input("x", onnx_shape_of({4, 8})).weight("scales", {2}).weight("v", {8, 8});
    all.m.graph.initializers["scales"].reals = std::vector<double>{1, 2};
    all.node("Resize", {"h", "", "scales"}, {"y"}).result("y").result("v");
    auto constants = all;
    constants.m.graph.nodes.insert(constants.m.graph.nodes.begin(),
                                   {{.op_type = "Constant",
                                     .outputs = {"w"},
                                     .attributes = {{"value", io::onnx_tensor{onnx_type::float32, {8, 8}}}}},
                                    {.op_type = "MatMul", .inputs = {"x", "w"}, .outputs = {"h"}}});
    CHECK(trained_parameters(onnx_network(constants.m)) == name_list{"w"});
    auto inputs = all;
    inputs.m.graph.nodes.insert(inputs.m.graph.nodes.begin(), {.op_type = "Exp", .inputs = {"x"}, .outputs = {"h"}});
    auto const net = onnx_network(inputs.m);
    CHECK(trained_parameters(net).empty());
    CHECK(net.node(0).has_gradient);
}

TEST_CASE("weights of inner graphs have names that no value of the graph has, and numbers behind them", "[onnx]") {
    auto branch = weighted_branch("x");
    branch.outputs.insert(branch.outputs.begin(), {.name = "x"});
    model_maker all;
    all.input("x", onnx_shape_of({4, 8})).input("go", {}, onnx_type::boolean).node("Neg", {"x"}, {"y::w"});
    all.node("If", {"go"}, {"", "y"}, {{"then_branch", std::vector{branch}}, {"else_branch", std::vector{branch}}});
    auto const net = onnx_network(all.node("Add", {"y", "y::w"}, {"z"}).result("z").m);
    CHECK(ops_of(net) == name_list{"Neg", "If", "Add"});
    CHECK(trained_parameters(net) == name_list{"y::w_2", "y::w_3"});
}

TEST_CASE("weights two graphs deep are trained where the inner node sends its gradient on", "[onnx]") {
    auto const trained = [](std::string const& after) {
        io::onnx_graph outer;
        outer.nodes.push_back(node(
            "If", {"go"}, {"inner"},
            {{"then_branch", std::vector{weighted_branch("x")}}, {"else_branch", std::vector{weighted_branch("x")}}}));
        outer.nodes.push_back(node(after, {"inner"}, {"sent"}));
        outer.initializers["v"] = {onnx_type::float32, {4, 8}};
        outer.nodes.push_back(node("Add", {"v", after == "Sign" ? "x" : "sent"}, {"sum"}));
        outer.outputs = {{.name = "sum"}};
        model_maker all;
        all.input("x", onnx_shape_of({4, 8})).input("go", {}, onnx_type::boolean);
        all.node("If", {"go"}, {"y"}, {{"then_branch", std::vector{outer}}, {"else_branch", std::vector{outer}}});
        return trained_parameters(onnx_network(all.result("y").m)).size();
    };
    CHECK(trained("Neg") == 6);   // v and two w of each branch
    CHECK(trained("Sign") == 2);  // nobody reads the sign
}

TEST_CASE("of inner weights those that are read are parameters, and those that get a gradient trained", "[onnx]") {
    auto branch = weighted_branch("x");
    branch.initializers["dead"] = branch.initializers["choice"] = {onnx_type::float32, {8, 8}};
    branch.nodes.push_back({.op_type = "ArgMax", .inputs = {"choice"}, .outputs = {"i"}});
    branch.nodes.push_back({.op_type = "ArgMax", .inputs = {"around"}, .outputs = {"j"}});
    branch.nodes.push_back({.op_type = "Gather", .inputs = {"b", "i"}, .outputs = {"c"}});
    branch.nodes.push_back({.op_type = "Gather", .inputs = {"c", "j"}, .outputs = {"d"}});
    branch.outputs = {{.name = "d"}};
    model_maker all;
    all.input("x", onnx_shape_of({4, 8})).input("go", {}, onnx_type::boolean).weight("around", {8, 8});
    all.node("If", {"go"}, {"y"}, {{"then_branch", std::vector{branch}}, {"else_branch", std::vector{branch}}});
    auto const net = onnx_network(all.result("y").m);
    CHECK(net.extra().at("parameters").size() == 5);  // two of each branch, one around them
    CHECK(trained_parameters(net) == name_list{"y::w", "y::w_2"});
}
