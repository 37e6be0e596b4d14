#ifndef REPEBBLE_TESTS_ONNX_MODEL_MAKER_HPP
#define REPEBBLE_TESTS_ONNX_MODEL_MAKER_HPP

// ONNX models for networks, made node by node, and questions to the networks.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <repebble/io/network.hpp>
#include <repebble/io/network_node.hpp>
#include <repebble/onnx/onnx_network.hpp>

#include "support/catch.hpp"
#include "support/folders.hpp"

namespace onnx_models {

namespace io = repebble::io;
using io::onnx_extent;
using io::onnx_model;
using io::onnx_type;
using name_list = std::vector<std::string>;
using positions = std::vector<std::uint32_t>;

inline auto onnx_shape_of(std::vector<std::int64_t> const& shape) -> std::vector<onnx_extent> {
    return {shape.begin(), shape.end()};
}

/// Makes models node by node.
struct model_maker {
    onnx_model m{.opsets = {{"", 20}}};

    auto input(std::string const& name, std::vector<onnx_extent> shape, onnx_type type = onnx_type::float32)
        -> model_maker& {
        m.graph.inputs.push_back({name, type, std::move(shape)});
        return *this;
    }
    auto weight(std::string const& name, std::vector<std::int64_t> shape, onnx_type type = onnx_type::float32)
        -> model_maker& {
        m.graph.initializers[name] = {type, std::move(shape)};
        return *this;
    }
    auto list(std::string const& name, std::vector<std::int64_t> const& values) -> model_maker& {
        m.graph.initializers[name] = {onnx_type::int64, {static_cast<std::int64_t>(values.size())}, values};
        return *this;
    }
    auto node(std::string const& op, name_list inputs, name_list outputs,
              std::vector<io::onnx_attribute> attributes = {}) -> model_maker& {
        m.graph.nodes.push_back({.op_type = op,
                                 .inputs = std::move(inputs),
                                 .outputs = std::move(outputs),
                                 .attributes = std::move(attributes)});
        return *this;
    }
    auto result(std::string const& name) -> model_maker& {
        m.graph.outputs.push_back({.name = name});
        return *this;
    }
};

inline auto ops_of(io::network const& net) -> name_list {
    name_list all;
    for (auto const& node : net.nodes()) all.push_back(node.op);
    return all;
}
inline auto node_called(io::network const& net, std::string_view op) -> io::network_node const& {
    auto const found = std::ranges::find(net.nodes(), op, &io::network_node::op);
    REQUIRE(found != net.nodes().end());
    return *found;
}
inline auto inference_only() -> io::onnx_options { return {.training = false}; }

inline auto onnx_data(std::string const& name) -> std::string {
    return support::source_dir() + "/tests/data/onnx/" + name;
}

}  // namespace onnx_models

#endif
