#ifndef REPEBBLE_ONNX_DETAIL_ONNX_ELEMENTWISE_HPP
#define REPEBBLE_ONNX_DETAIL_ONNX_ELEMENTWISE_HPP

// Shapes of elementwise operators: as the first input, or all inputs broadcast (Broadcasting in ONNX, as NumPy's).
// Normalizations are here, too: their first output has the input's shape.

#include <array>
#include <cstddef>

#include <repebble/onnx/detail/onnx_call.hpp>

namespace repebble::inline v0::io::detail {

inline void like_first(onnx_call& call) { call.set(0, call.shape(0)); }
inline void boolean_like_first(onnx_call& call) { call.set(0, call.shape(0), onnx_type::boolean); }
inline void typed_like_first(onnx_call& call) { call.set(0, call.shape(0), call.type_of("dtype", call.type(0))); }
inline void cast(onnx_call& call) { call.set(0, call.shape(0), static_cast<onnx_type>(call.required("to"))); }
inline void cast_like(onnx_call& call) { call.set(0, call.shape(0), call.type(1)); }

/// The extents of all inputs, broadcast. Before opset 7 the second is broadcast to the first, from any axis.
[[nodiscard]] inline auto broadcast_inputs(onnx_call const& call) -> onnx_shape {
    auto shape = call.shape(0);
    if (call.number("broadcast", 0) != 0) return shape;
    for (std::size_t i = 1; i < call.inputs.size(); ++i) shape = call.broadcast(shape, call.shape(i));
    return shape;
}

inline void broadcast_all(onnx_call& call) {
    for (std::size_t i = 0; i < call.inputs.size(); ++i)
        if (!call.known(i)) return;
    call.set(0, broadcast_inputs(call));
}
inline void compare(onnx_call& call) { call.set(0, broadcast_inputs(call), onnx_type::boolean); }
inline void where(onnx_call& call) { call.set(0, broadcast_inputs(call), call.type(1)); }

/// The slope is broadcast to the input; of old files it may have an element for each channel.
inline void p_relu(onnx_call& call) {
    auto const &shape = call.shape(0), &slope = call.shape(1);
    bool const per_channel = slope.size() == 1 && shape.size() > 1 && slope[0] == shape[1];
    if (!per_channel && call.broadcast(shape, slope) != shape)
        call.fail("slope of shape " + shape_text(slope) + " cannot be broadcast to " + shape_text(shape));
    call.set(0, shape);
}

inline void dropout(onnx_call& call) {
    call.set(0, call.shape(0));
    call.set(1, call.shape(0), call.opset < 10 ? call.type(0) : onnx_type::boolean);
}

/// The statistics, saved or running, have the shape of the running mean.
inline void batch_normalization(onnx_call& call) {
    call.set(0, call.shape(0));
    for (std::size_t k = 1; k < call.outputs.size(); ++k) call.set(k, call.shape(3), call.type(3));
}

/// Statistics have extent 1 on the normalized axes.
[[nodiscard]] inline auto statistics_shape(onnx_call const& call) -> onnx_shape {
    auto shape = call.shape(0);
    auto const first = call.axis(call.number("axis", -1), shape.size());
    for (auto i = first; i < shape.size(); ++i) shape[i] = 1;
    return shape;
}

inline void layer_normalization(onnx_call& call) {
    call.set(0, call.shape(0), call.node.op_type == "SimplifiedLayerNormalization" ? call.type(1) : call.type(0));
    auto const statistics = call.type_of("stash_type", onnx_type::float32);
    call.set(1, statistics_shape(call), statistics);
    call.set(2, statistics_shape(call), statistics);
}

inline constexpr auto elementwise_rules = std::to_array<onnx_rule>({
    {"Abs", 1, like_first},
    {"Acos", 1, like_first},
    {"Acosh", 1, like_first},
    {"Add", 2, broadcast_all},
    {"Affine", 1, like_first},
    {"And", 2, compare},
    {"Asin", 1, like_first},
    {"Asinh", 1, like_first},
    {"Atan", 1, like_first},
    {"Atanh", 1, like_first},
    {"BatchNormalization", 4, batch_normalization},
    {"Bernoulli", 1, typed_like_first},
    {"BitCast", 1, cast},
    {"BitShift", 2, broadcast_all},
    {"BitwiseAnd", 2, broadcast_all},
    {"BitwiseNot", 1, like_first},
    {"BitwiseOr", 2, broadcast_all},
    {"BitwiseXor", 2, broadcast_all},
    {"Cast", 1, cast},
    {"CastLike", 1, cast_like},
    {"Ceil", 1, like_first},
    {"Celu", 1, like_first},
    {"Clip", 1, like_first},
    {"Cos", 1, like_first},
    {"Cosh", 1, like_first},
    {"CumProd", 1, like_first},
    {"CumSum", 1, like_first},
    {"Div", 2, broadcast_all},
    {"Dropout", 1, dropout},
    {"Elu", 1, like_first},
    {"Equal", 2, compare},
    {"Erf", 1, like_first},
    {"Exp", 1, like_first},
    {"Floor", 1, like_first},
    {"Gelu", 1, like_first},
    {"Greater", 2, compare},
    {"GreaterOrEqual", 2, compare},
    {"GroupNormalization", 1, like_first},
    {"HardSigmoid", 1, like_first},
    {"HardSwish", 1, like_first},
    {"Hardmax", 1, like_first},
    {"ImageScaler", 1, like_first},
    {"InstanceNormalization", 1, like_first},
    {"IsInf", 1, boolean_like_first},
    {"IsNaN", 1, boolean_like_first},
    {"LRN", 1, like_first},
    {"LayerNormalization", 1, layer_normalization},
    {"LeakyRelu", 1, like_first},
    {"Less", 2, compare},
    {"LessOrEqual", 2, compare},
    {"Log", 1, like_first},
    {"LogSoftmax", 1, like_first},
    {"LpNormalization", 1, like_first},
    {"Max", 1, broadcast_all},
    {"Mean", 1, broadcast_all},
    {"MeanVarianceNormalization", 1, like_first},
    {"Min", 1, broadcast_all},
    {"Mish", 1, like_first},
    {"Mod", 2, broadcast_all},
    {"Mul", 2, broadcast_all},
    {"Neg", 1, like_first},
    {"Not", 1, like_first},
    {"Or", 2, compare},
    {"PRelu", 2, p_relu},
    {"ParametricSoftplus", 1, like_first},
    {"Pow", 2, broadcast_all},
    {"RMSNormalization", 1, like_first},
    {"RegexFullMatch", 1, boolean_like_first},
    {"RandomNormalLike", 1, typed_like_first},
    {"RandomUniformLike", 1, typed_like_first},
    {"Reciprocal", 1, like_first},
    {"Relu", 1, like_first},
    {"ReverseSequence", 1, like_first},
    {"Round", 1, like_first},
    {"ScaledTanh", 1, like_first},
    {"Scale", 1, like_first},
    {"Scatter", 1, like_first},
    {"ScatterElements", 1, like_first},
    {"ScatterND", 1, like_first},
    {"Selu", 1, like_first},
    {"Shrink", 1, like_first},
    {"Sigmoid", 1, like_first},
    {"Sign", 1, like_first},
    {"SimplifiedLayerNormalization", 1, layer_normalization},
    {"Sin", 1, like_first},
    {"Sinh", 1, like_first},
    {"Softmax", 1, like_first},
    {"Softplus", 1, like_first},
    {"Softsign", 1, like_first},
    {"Sqrt", 1, like_first},
    {"StringConcat", 2, broadcast_all},
    {"Sub", 2, broadcast_all},
    {"Sum", 1, broadcast_all},
    {"Swish", 1, like_first},
    {"SwiGLU", 1, like_first},
    {"Tan", 1, like_first},
    {"Tanh", 1, like_first},
    {"TensorScatter", 1, like_first},
    {"ThresholdedRelu", 1, like_first},
    {"Trilu", 1, like_first},
    {"Where", 3, where},
    {"Xor", 2, compare},
});

}  // namespace repebble::inline v0::io::detail

#endif
