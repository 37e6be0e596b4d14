#ifndef REPEBBLE_ONNX_DETAIL_SAVED_OUTPUTS_HPP
#define REPEBBLE_ONNX_DETAIL_SAVED_OUTPUTS_HPP

// What operators write in training beside their own outputs, because their gradients read it: statistics of norms,
// indices of maxima, masks, gates of recurrent layers.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <repebble/onnx/detail/onnx_call.hpp>
#include <repebble/onnx/onnx_model.hpp>

namespace repebble::inline v0::io::detail {

/// An output that the gradient reads. Where the operator may have output `slot` itself, it is added only if not.
struct saved_output {
    static constexpr std::size_t beyond = 8;  ///< no output of the operator
    std::size_t slot = beyond;
    onnx_shape shape{};
    onnx_type type = onnx_type::float32;
};

/// The outputs that training saves of a node.  Requires: the shape of its first input is known, where it has one.
[[nodiscard]] inline auto saved_outputs(onnx_call const& call) -> std::vector<saved_output> {
    std::string_view const op = call.node.op_type;
    auto const is_one_of = [&](auto const&... names) { return ((op == names) || ...); };
    if (!call.known(0) || call.shape(0).empty()) return {};
    auto const& x = call.shape(0);
    auto const rows = [&](std::int64_t axis) {  // a number for each row that is normalised
        auto shape = x;
        for (auto k = call.axis(axis, x.size()); k < x.size(); ++k) shape[k] = 1;
        return shape;
    };
    if (is_one_of("BatchNormalization") && x.size() > 1) return {{.shape = {x[1]}}, {.shape = {x[1]}}};
    if (is_one_of("InstanceNormalization") && x.size() > 1) return {{.shape = {x[0], x[1]}}, {.shape = {x[0], x[1]}}};
    if (is_one_of("GroupNormalization")) {
        onnx_shape const per_group{x[0], call.number("num_groups", 1)};
        return {{.shape = per_group}, {.shape = per_group}};
    }
    if (is_one_of("LayerNormalization")) {
        auto const statistics = rows(call.number("axis", -1));
        return {{1, statistics}, {2, statistics}};
    }
    if (is_one_of("RMSNormalization", "SimplifiedLayerNormalization")) return {{1, rows(call.number("axis", -1))}};
    if (is_one_of("SkipLayerNormalization", "EmbedLayerNormalization") && call.outputs.front().shape) {
        auto statistics = *call.outputs.front().shape;
        if (statistics.empty()) return {};
        statistics.back() = 1;
        return {{.shape = statistics}, {.shape = statistics}};
    }
    if (is_one_of("MaxPool") && call.outputs.front().shape) return {{1, *call.outputs.front().shape, onnx_type::int64}};
    bool const finds_maxima = is_one_of("MaxRoiPool") || (is_one_of("RoiAlign") && call.text("mode", "avg") == "max");
    if (finds_maxima && call.outputs.front().shape)
        return {{.shape = *call.outputs.front().shape, .type = onnx_type::int32}};  // where the maxima are
    if (is_one_of("Dropout")) return {{1, x, onnx_type::boolean}};
    if (is_one_of("SoftmaxCrossEntropyLoss")) return {{1, x, call.type(0)}};
    if (is_one_of("Attention") && x.size() == 4) return {{.shape = {x[0], x[1], x[2]}}};
    if (is_one_of("Attention", "MultiHeadAttention", "GroupQueryAttention") && x.size() == 3) {
        auto const heads = call.has("q_num_heads") ? call.number("q_num_heads", 1) : call.number("num_heads", 1);
        return {{.shape = {x[0], heads, x[1]}}};
    }
    if (is_one_of("LSTM", "GRU") && x.size() == 3 && call.known(2) && call.shape(2).size() == 3) {
        // Four gates and the cell, or three gates and the recurrent product, of each step.
        auto const& recurrent = call.shape(2);
        auto const numbers = call.multiply(recurrent[2], op == "LSTM" ? 5 : 4);
        return {{.shape = {x[0], recurrent[0], x[1], numbers}, .type = call.type(0)}};
    }
    return {};
}

}  // namespace repebble::inline v0::io::detail

#endif
