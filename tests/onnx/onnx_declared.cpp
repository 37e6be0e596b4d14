// Covers onnx/onnx_shapes.hpp.
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <repebble/graph/error.hpp>
#include <repebble/onnx/onnx_shapes.hpp>

#include "onnx_models.hpp"
#include "support/catch.hpp"
#include "support/throws.hpp"

using namespace onnx_models;
using repebble::bad_graph;
using repebble::limit_reached;
using support::throws;

namespace {

auto model_with(std::vector<onnx_value> inputs, std::vector<onnx_node> nodes, std::vector<onnx_value> outputs)
    -> onnx_model {
    return {.opsets = {{"", 20}},
            .graph = {.nodes = std::move(nodes), .inputs = std::move(inputs), .outputs = std::move(outputs)}};
}

auto int64_value(std::string name, std::vector<onnx_extent> shape) -> onnx_value {
    return value(std::move(name), std::move(shape), onnx_type::int64);
}

}  // namespace

TEST_CASE("named dimensions have the caller's values, and flow through shapes as contents", "[io]") {
    auto model = model_with(
        {value("x", {{"batch", 6, "length"}})},
        {node("Shape", {"x"}, {"s"}), node("Gather", {"s", "zero"}, {"b"}),
         node("Concat", {"b", "rest"}, {"target"}, {attr("axis", 0)}), node("Reshape", {"x", "target"}, {"y"})},
        {value("y", {{"batch", "unk__1", 3}})});
    model.graph.initializers["zero"] = *whole({0}).tensor;
    model.graph.initializers["rest"] = *whole({-1, 3}).tensor;
    auto const known = infer_shapes(model, {{"batch", 8}, {"length", 5}});
    CHECK(known.at("x").shape == extents{8, 6, 5});
    CHECK(known.at("target").integers == extents{8, -1, 3});
    CHECK(known.at("target").constant);
    CHECK(known.at("y").shape == extents{8, 10, 3});
    CHECK_FALSE(known.at("y").constant);

    auto const open = infer_shapes(model, {{"batch", 8}});
    CHECK(open.at("x").shape == std::nullopt);
    CHECK(open.at("y").shape == std::nullopt);
    CHECK(throws<bad_graph>([&] { return infer_shapes(model, {{"batch", -8}}); }, {"batch", "-8"}));
}

TEST_CASE("an extent of an input is given by its axis, too, and then numbers of the file do not count", "[io]") {
    auto model = model_with({value("x", {{1, 3}})}, {node("Relu", {"x"}, {"h"}), node("Neg", {"h"}, {"y"})},
                            {value("y", {{1, 3}})});
    model.graph.values.push_back(value("h", {{1, 3}}));
    CHECK(infer_shapes(model).at("y").shape == extents{1, 3});
    CHECK(infer_shapes(model, {{"x[0]", 8}}).at("y").shape == extents{8, 3});
    model.graph.inputs[0] = value("x", {{"", 3}});
    CHECK(infer_shapes(model, {{"x[0]", 4}}).at("y").shape == extents{4, 3});
}

TEST_CASE("a declared number that contradicts is an error that names node and value", "[io]") {
    auto const of = [](std::vector<onnx_extent> declared) {
        return model_with({value("x", {{2, 3}})}, {node("Relu", {"x"}, {"y"})}, {value("y", std::move(declared))});
    };
    CHECK(throws<bad_graph>([&] { return infer_shapes(of({2, 4})); }, {"the_Relu", "'y'", "[2, 3]", "[2, 4]"}));
    CHECK(throws<bad_graph>([&] { return infer_shapes(of({2, 3, 1})); }, {"the_Relu", "'y'"}));
    CHECK(infer_shapes(of({"anything", 3})).at("y").shape == extents{2, 3});
    CHECK(infer_shapes(of({0, 3})).at("y").shape == extents{2, 3});  // exporters write 0 for what they do not know
    CHECK(infer_shapes(of({-1, 3})).at("y").shape == extents{2, 3});
}

TEST_CASE("declared shapes count where inference finds nothing", "[io]") {
    auto model = model_with({value("x", {{"batch", 3}})}, {node("Magic", {"x"}, {"h"}), node("Relu", {"h"}, {"y"})},
                            {value("y", std::nullopt)});
    CHECK(infer_shapes(model, {{"batch", 2}}).at("y").shape == std::nullopt);
    model.graph.values.push_back(value("h", {{"batch", 7}}, onnx_type::float16));
    auto const known = infer_shapes(model, {{"batch", 2}});
    CHECK(known.at("y").shape == extents{2, 7});
    CHECK(known.at("y").type == onnx_type::float16);
}

TEST_CASE("extents that depend on data are those of the file or of the caller", "[io]") {
    auto model = model_with({value("x", {{4, 5}})},
                            {node("NonZero", {"x"}, {"found"}), node("Transpose", {"found"}, {"rows"}),
                             node("GatherND", {"x", "rows"}, {"y"})},
                            {value("y", {{"count"}})});
    CHECK(infer_shapes(model).at("y").shape == std::nullopt);
    CHECK(infer_shapes(model, {{"found[1]", 9}}).at("y").shape == extents{9});
    CHECK(infer_shapes(model, {{"?", 20}}).at("y").shape == extents{20});
    CHECK(infer_shapes(model, {{"?", 20}, {"found[1]", 9}}).at("y").shape == extents{9});
    model.graph.values.push_back(int64_value("found", {2, "count"}));
    CHECK(infer_shapes(model, {{"count", 7}}).at("y").shape == extents{7});
}

TEST_CASE("a node whose inputs do not fit is an error that names it", "[io]") {
    auto const refused = [](one_node const& call, std::initializer_list<std::string_view> words) {
        return throws<bad_graph>([&] { return infer_shapes(model_of(call)); }, words);
    };
    auto const image = input({1, 3, 8, 8});
    CHECK(refused({"Add", {input({2}), input({3})}}, {"'n' (Add)", "[2]", "[3]"}));
    CHECK(refused({"Conv", {image, input({4, 2, 3, 3})}}, {"channels", "3", "2"}));
    CHECK(refused({"Conv", {image, input({4, 3, 9, 9})}}, {"(Conv)", "9"}));
    CHECK(refused({"Conv", {image, input({4, 3, 3})}}, {"weights"}));
    CHECK(refused({"Conv", {image, input({4, 3, 3, 3})}, {attr("strides", extents{0, 1})}}, {"strides", "0"}));
    CHECK(refused({"Conv", {image, input({4, 3, 3, 3})}, {attr("strides", extents{1})}}, {"strides"}));
    CHECK(refused({"MaxPool", {image}}, {"kernel_shape"}));
    CHECK(refused({"MatMul", {input({2, 3}), input({4, 5})}}, {"inner", "3", "4"}));
    CHECK(refused({"MatMul", {input({}), input({4, 5})}}, {"scalar"}));
    CHECK(refused({"Reshape", {input({2, 3}), whole({4, -1})}}, {"[2, 3]", "[4, -1]"}));
    CHECK(refused({"Reshape", {input({2, 3}), whole({-1, -1})}}, {"twice"}));
    CHECK(refused({"Reshape", {input({2, 3}), whole({2, -3})}}, {"-3"}));
    CHECK(refused({"Transpose", {input({2, 3})}, {attr("perm", extents{0, 0})}}, {"twice"}));
    CHECK(refused({"Concat", {input({2, 3}), input({3, 4})}, {attr("axis", 1)}}, {"input 1", "[3, 4]"}));
    CHECK(refused({"Softmax", {}}, {"input 0", "missing"}));
    CHECK(refused({"ArgMax", {input({2})}, {attr("axis", 1)}}, {"axis 1"}));
    CHECK(refused({"Squeeze", {input({2, 3}), whole({0})}}, {"axis 0"}));
    CHECK(refused({"TopK", {input({2, 3}), whole({4})}}, {"4", "3"}));
    CHECK(refused({"Gather", {whole({1, 2}), whole({2})}}, {"index 2"}));
    CHECK(refused({"Slice", {input({4}), whole({0}), whole({1}), whole({0}), whole({0})}}, {"step"}));
    CHECK(refused({"Expand", {input({2}), whole({-1})}}, {"broadcast"}));
    CHECK(refused({"Expand", {input({1}), whole({-1})}}, {"[-1]"}));
    CHECK(refused({"ConstantOfShape", {whole({2, -2})}}, {"[2, -2]"}));
    CHECK(refused({"Cast", {input({2})}}, {"'to'"}));
    CHECK(refused({"Cast", {input({2})}, {attr("to", "float")}}, {"'to'", "kind"}));
    CHECK(refused({"Einsum", {input({2}), input({3})}, {attr("equation", "i,i->")}}, {"letter"}));
    CHECK(refused({"Split", {input({5}), whole({2, 2})}, {}, 2}, {"4", "5"}));
}

TEST_CASE("an extent made of a real number that is none, or too large, is an error", "[io]") {
    constexpr auto none_at_all = std::numeric_limits<double>::quiet_NaN();
    for (auto const x : {none_at_all, std::numeric_limits<double>::infinity(), 1e30}) {
        auto const refused = [](one_node const& call) {
            return throws<bad_graph>([&] { return infer_shapes(model_of(call)); }, {"'n'", "extent"});
        };
        CHECK(refused({"OneHot", {input({2}), reals({x}), input({2})}}));
        CHECK(refused({"Range", {reals({0}), reals({x}), reals({1})}}));
        CHECK(refused({"Resize", {input({1, 10}), none(), reals({1, x})}}));
    }
}

TEST_CASE("an extent that overflows is an error", "[io]") {
    auto const huge = std::int64_t{1} << 40;
    auto const refused = [](one_node const& call) {
        return throws<bad_graph>([&] { return infer_shapes(model_of(call)); }, {"'n'", "overflows"});
    };
    CHECK(refused({"Flatten", {input({1, huge, huge})}}));
    CHECK(refused({"Reshape", {input({huge, huge}), whole({-1})}}));
    CHECK(refused({"Tile", {input({huge}), whole({huge})}}));
    CHECK(refused({"Concat", {input({huge << 22}), input({huge << 22})}, {attr("axis", 0)}}));
    CHECK(refused({"Pad", {input({huge}), whole({std::int64_t{1} << 62, std::int64_t{1} << 62})}}));
    CHECK(refused({"Conv", {input({1, 1, 9}), input({1, 1, huge})}, {attr("dilations", extents{huge})}}));
}

TEST_CASE("a value is made once, before it is read", "[io]") {
    auto const x = value("x", {{2}});
    auto const late = model_with({x}, {node("Relu", {"h"}, {"y"}), node("Neg", {"x"}, {"h"})}, {});
    CHECK(throws<bad_graph>([&] { return infer_shapes(late); }, {"the_Relu", "'h'", "the_Neg", "later"}));
    auto const never = model_with({x}, {node("Relu", {"h"}, {"y"})}, {});
    CHECK(throws<bad_graph>([&] { return infer_shapes(never); }, {"the_Relu", "'h'", "nothing makes"}));
    auto const twice = model_with({x}, {node("Relu", {"x"}, {"y"}), node("Neg", {"x"}, {"y"})}, {});
    CHECK(throws<bad_graph>([&] { return infer_shapes(twice); }, {"the_Neg", "'y'", "already"}));
    auto const lost = model_with({x}, {}, {value("z", std::nullopt)});
    CHECK(throws<bad_graph>([&] { return infer_shapes(lost); }, {"'z'"}));
    auto wrong = model_with({x}, {}, {});
    wrong.graph.initializers["w"] = {.type = onnx_type::int64, .shape = {3}, .integers = extents{1}};
    CHECK(throws<bad_graph>([&] { return infer_shapes(wrong); }, {"'w'", "1", "[3]"}));
}

TEST_CASE("initializers among the inputs, as in old files, are constants", "[io]") {
    auto model = model_with({value("x", {{2, 3}}), int64_value("s", {1})}, {node("Reshape", {"x", "s"}, {"y"})}, {});
    model.graph.initializers["s"] = *whole({6}).tensor;
    CHECK(infer_shapes(model).at("y").shape == extents{6});
}

TEST_CASE("branches of unknown condition count where they agree, or where only one fits", "[io]") {
    onnx_graph const relu{.nodes = {node("Relu", {"x"}, {"a"})}, .outputs = {value("a", std::nullopt)}};
    onnx_graph const flat{.nodes = {node("Flatten", {"x"}, {"b"}, {attr("axis", 0)})},
                          .outputs = {value("b", std::nullopt)}};
    onnx_graph const wrong{.nodes = {node("Det", {"x"}, {"c"})}, .outputs = {value("c", std::nullopt)}};
    auto const shape_of = [](onnx_graph const& yes, onnx_graph const& no, std::optional<std::int64_t> condition) {
        auto model = model_with({value("x", {{2, 3}}), value("if", {{}}, onnx_type::boolean)},
                                {node("If", {"if"}, {"y"}, {attr("then_branch", yes), attr("else_branch", no)})}, {});
        if (condition) model.graph.initializers["if"] = *whole({*condition}, extents{}, onnx_type::boolean).tensor;
        return infer_shapes(model).at("y").shape;
    };
    CHECK(shape_of(relu, relu, {}) == extents{2, 3});
    CHECK(shape_of(relu, flat, {}) == std::nullopt);
    CHECK(shape_of(relu, flat, 1) == extents{2, 3});
    CHECK(shape_of(relu, flat, 0) == extents{1, 6});
    CHECK(shape_of(wrong, flat, {}) == extents{1, 6});
    CHECK(shape_of(wrong, flat, 0) == extents{1, 6});
    CHECK(throws<bad_graph>([&] { return shape_of(wrong, flat, 1); }, {"the_Det"}));
}

TEST_CASE("loops in loops are inferred a few times each, however deep", "[io]") {
    // One state of each grows: it is left open in a second pass, which infers the loop inside again.
    onnx_graph body;
    for (int level = 0; level < 30; ++level) {
        auto const of = [&](char const* name) { return name + std::to_string(level); };
        onnx_graph outer{
            .nodes = {node("Identity", {of("c")}, {of("k")})},
            .inputs = {int64_value(of("i"), {}), value(of("c"), {{}}, onnx_type::boolean), value(of("a"), std::nullopt),
                       value(of("b"), std::nullopt)},
            .outputs = {value(of("k"), std::nullopt), value(of("p"), std::nullopt), value(of("q"), std::nullopt)}};
        outer.nodes.push_back(node("Relu", {of("a")}, {of("p")}));
        outer.nodes.push_back(node("Concat", {of("b"), of("b")}, {of("q")}, {attr("axis", 0)}));
        if (level > 0)
            outer.nodes.push_back(
                node("Loop", {"", "", "x", "x"}, {of("u"), of("v")}, {attr("body", std::move(body))}));
        body = std::move(outer);
    }
    auto const model = model_with({value("x", {{2, 3}})},
                                  {node("Loop", {"", "", "x", "x"}, {"y", "z"}, {attr("body", std::move(body))})}, {});
    auto const known = infer_shapes(model, {}, read_account({.work = 2'000'000}));
    CHECK(known.at("y").shape == extents{2, 3});
    CHECK(known.at("z").shape == std::nullopt);
}

TEST_CASE("inference spends for axes and contents, and names the node where it must stop", "[io]") {
    onnx_model model{.opsets = {{"", 20}}};
    model.graph.inputs.push_back(value("x0", std::vector<onnx_extent>(10'000, std::int64_t{1})));
    for (int k = 0; k < 5'000; ++k)
        model.graph.nodes.push_back(node("Relu", {"x" + std::to_string(k)}, {"x" + std::to_string(k + 1)}));
    CHECK(throws<limit_reached>([&] { return infer_shapes(model, {}, read_account({}, 1 << 27)); },
                                {"node 'the_Relu'", "128 MiB of memory"}));
    int asked = 0;
    read_account const stopped({.stop = [&] { return ++asked == 5; }});
    CHECK(throws<limit_reached>([&] { return infer_shapes(model, {}, stopped); }, {"node 'the_Relu'", "stopped"}));
}

TEST_CASE("loops and scans stack what each iteration makes", "[io]") {
    onnx_graph body{
        .nodes = {node("Identity", {"c"}, {"c_out"}), node("Add", {"state", "x"}, {"state_out"}),
                  node("ReduceSum", {"state_out", "axes"}, {"each"}),
                  node("Concat", {"grow", "x"}, {"grow_out"}, {attr("axis", 0)})},
        .inputs = {int64_value("i", {}), value("c", {{}}, onnx_type::boolean), value("state", std::nullopt),
                   value("grow", std::nullopt)},
        .outputs = {value("c_out", std::nullopt), value("state_out", std::nullopt), value("grow_out", std::nullopt),
                    value("each", std::nullopt)},
    };
    auto model =
        model_with({value("x", {{2, 3}})},
                   {node("Loop", {"trips", "", "x", "x"}, {"last", "grown", "all"}, {attr("body", body)})}, {});
    model.graph.initializers["trips"] = *scalar(7).tensor;
    model.graph.initializers["axes"] = *whole({1}).tensor;
    auto const known = infer_shapes(model);
    CHECK(known.at("last").shape == extents{2, 3});
    CHECK(known.at("grown").shape == std::nullopt);  // it has another shape in each iteration
    CHECK(known.at("all").shape == extents{7, 2, 1});
    CHECK_FALSE(known.contains("each"));

    onnx_graph const step{.nodes = {node("Add", {"s", "slice"}, {"s_out"}), node("Neg", {"s_out"}, {"o"})},
                          .inputs = {value("s", std::nullopt), value("slice", std::nullopt)},
                          .outputs = {value("s_out", std::nullopt), value("o", std::nullopt)}};
    auto const scan = model_with({value("s0", {{5, 4}}), value("xs", {{5, 9, 4}})},
                                 {node("Scan", {"s0", "xs"}, {"last", "all"},
                                       {attr("body", step), attr("num_scan_inputs", 1),
                                        attr("scan_input_axes", extents{1}), attr("scan_output_axes", extents{-1})})},
                                 {});
    CHECK(infer_shapes(scan).at("all").shape == extents{5, 4, 9});
    CHECK(infer_shapes(scan).at("last").shape == extents{5, 4});
}

TEST_CASE("sequences know each of their tensors", "[io]") {
    auto model = model_with(
        {value("x", {{7, 2}})},
        {node("SplitToSequence", {"x", "three"}, {"parts"}), node("SequenceAt", {"parts", "last"}, {"part"}),
         node("SequenceLength", {"parts"}, {"count"}), node("ConcatFromSequence", {"parts"}, {"y"}, {attr("axis", 0)}),
         node("SequenceInsert", {"parts", "part"}, {"more"}), node("SequenceErase", {"more"}, {"fewer"})},
        {});
    model.graph.initializers["three"] = *scalar(3).tensor;
    model.graph.initializers["last"] = *scalar(-1).tensor;
    auto const known = infer_shapes(model);
    CHECK(known.at("part").shape == extents{1, 2});
    CHECK(known.at("count").integers == extents{3});
    CHECK(known.at("y").shape == extents{7, 2});
    CHECK(known.at("more").sequence.value().size() == 4);
    CHECK(known.at("fewer").sequence.value().size() == 3);
    CHECK_FALSE(known.at("parts").shape.has_value());
}

TEST_CASE("a graph of ten thousand nodes is inferred", "[io]") {
    std::vector<onnx_node> nodes;
    std::string last = "x";
    for (std::size_t i = 0; i < 10'000; ++i) {
        auto name = "layer." + std::to_string(i) + ".attention.output";
        nodes.push_back(node(i % 2 == 0 ? "Relu" : "Neg", {last}, {name}));
        last = std::move(name);
    }
    CHECK(infer_shapes(model_with({value("x", {{2, 3}})}, nodes, {})).at(last).shape == extents{2, 3});
}
