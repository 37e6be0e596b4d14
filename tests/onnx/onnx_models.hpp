#ifndef REPEBBLE_TESTS_ONNX_ONNX_MODELS_HPP
#define REPEBBLE_TESTS_ONNX_ONNX_MODELS_HPP

// ONNX models by hand: one node over inputs and constants, or a list of nodes.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <repebble/onnx/onnx_model.hpp>
#include <repebble/onnx/onnx_shapes.hpp>

namespace onnx_models {

using namespace repebble::io;
using extents = std::vector<std::int64_t>;
using dimensions = std::map<std::string, std::int64_t>;

/// An input of a node: left out, of a shape, or a constant.
struct operand {
    std::optional<onnx_tensor> tensor{};
    bool constant = false;
};

inline auto none() -> operand { return {}; }
inline auto input(extents shape, onnx_type type = onnx_type::float32) -> operand {
    return {onnx_tensor{.type = type, .shape = std::move(shape)}};
}
inline auto whole(extents values, std::optional<extents> shape = {}, onnx_type type = onnx_type::int64) -> operand {
    auto const count = static_cast<std::int64_t>(values.size());
    return {onnx_tensor{.type = type, .shape = shape.value_or(extents{count}), .integers = std::move(values)}, true};
}
inline auto scalar(std::int64_t value) -> operand { return whole({value}, extents{}); }
inline auto reals(std::vector<double> values, std::optional<extents> shape = {}) -> operand {
    auto const count = static_cast<std::int64_t>(values.size());
    return {
        onnx_tensor{.type = onnx_type::float32, .shape = shape.value_or(extents{count}), .reals = std::move(values)},
        true};
}

inline auto attr(std::string name, std::int64_t value) -> onnx_attribute {
    return {.name = std::move(name), .value = value};
}
inline auto attr(std::string name, extents value) -> onnx_attribute {
    return {.name = std::move(name), .value = std::move(value)};
}
inline auto attr(std::string name, std::string_view value) -> onnx_attribute {
    return {.name = std::move(name), .value = std::string(value)};
}
inline auto attr(std::string name, std::vector<double> value) -> onnx_attribute {
    return {.name = std::move(name), .value = std::move(value)};
}
inline auto attr(std::string name, onnx_tensor value) -> onnx_attribute {
    return {.name = std::move(name), .value = std::move(value)};
}
inline auto attr(std::string name, onnx_graph value) -> onnx_attribute {
    return {.name = std::move(name), .value = std::vector<onnx_graph>{std::move(value)}};
}

inline auto node(std::string op, std::vector<std::string> inputs, std::vector<std::string> outputs,
                 std::vector<onnx_attribute> attributes = {}) -> onnx_node {
    return {.name = "the_" + op,
            .op_type = std::move(op),
            .inputs = std::move(inputs),
            .outputs = std::move(outputs),
            .attributes = std::move(attributes)};
}

inline auto value(std::string name, std::optional<std::vector<onnx_extent>> shape, onnx_type type = onnx_type::float32)
    -> onnx_value {
    return {.name = std::move(name), .type = type, .shape = std::move(shape)};
}

/// A call of an operator: "Op" of ONNX's own domain, or "domain:Op".
struct one_node {
    std::string op{};
    std::vector<operand> inputs{};
    std::vector<onnx_attribute> attributes{};
    std::size_t outputs = 1;
    std::int64_t opset = 20;
};

/// Inputs are called x0, x1, …, outputs y0, y1, ….
inline auto model_of(one_node const& call) -> onnx_model {
    onnx_model model{.opsets = {{"", call.opset}}};
    onnx_node n{.name = "n", .op_type = call.op, .attributes = call.attributes};
    if (auto const colon = call.op.find(':'); colon != call.op.npos) {
        n.domain = call.op.substr(0, colon);
        n.op_type = call.op.substr(colon + 1);
    }
    for (std::size_t i = 0; i < call.inputs.size(); ++i) {
        auto const& [tensor, constant] = call.inputs[i];
        n.inputs.push_back(tensor ? "x" + std::to_string(i) : "");
        if (!tensor) continue;
        if (constant)
            model.graph.initializers.emplace(n.inputs.back(), *tensor);
        else
            model.graph.inputs.push_back(
                {.name = n.inputs.back(),
                 .type = tensor->type,
                 .shape = std::vector<onnx_extent>(tensor->shape.begin(), tensor->shape.end())});
    }
    for (std::size_t k = 0; k < call.outputs; ++k) n.outputs.push_back("y" + std::to_string(k));
    model.graph.nodes.push_back(std::move(n));
    return model;
}

inline auto known_of(one_node const& call, dimensions const& given = {}) -> std::vector<onnx_known> {
    auto const known = infer_shapes(model_of(call), given);
    std::vector<onnx_known> outputs;
    for (std::size_t k = 0; k < call.outputs; ++k) outputs.push_back(known.at("y" + std::to_string(k)));
    return outputs;
}

}  // namespace onnx_models

#endif
