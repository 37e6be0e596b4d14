#ifndef REPEBBLE_ONNX_DETAIL_ONNX_REDUCTIONS_HPP
#define REPEBBLE_ONNX_DETAIL_ONNX_REDUCTIONS_HPP

// Shapes of reductions, losses, quantizations and transforms of signals.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/onnx/detail/onnx_call.hpp>

namespace repebble::inline v0::io::detail {

/// The axes that a reduction sums over; nothing where they are unknown.
[[nodiscard]] inline auto reduced_axes(onnx_call const& call, std::size_t rank) -> std::optional<std::vector<bool>> {
    auto const [known, list] = call.list("axes", 1);
    if (!known) return std::nullopt;
    if (list && !list->empty()) return call.axes(*list, rank);
    return std::vector<bool>(rank, call.number("noop_with_empty_axes", 0) == 0);
}

[[nodiscard]] inline auto without_axes(onnx_shape const& in, std::vector<bool> const& gone, bool keep) -> onnx_shape {
    onnx_shape shape;
    for (std::size_t i = 0; i < in.size(); ++i) {
        if (!gone[i])
            shape.push_back(in[i]);
        else if (keep)
            shape.push_back(1);
    }
    return shape;
}

inline void reduce(onnx_call& call) {
    auto const& in = call.shape(0);
    if (auto const gone = reduced_axes(call, in.size()))
        call.set(0, without_axes(in, *gone, call.number("keepdims", 1) != 0));
}

inline void position_of_extreme(onnx_call& call) {
    auto const& in = call.shape(0, 1);
    std::vector<bool> gone(in.size(), false);
    gone[call.axis(call.number("axis", 0), in.size())] = true;
    call.set(0, without_axes(in, gone, call.number("keepdims", 1) != 0), onnx_type::int64);
}

/// The loss of each target, or one number; beside it the logarithms of the probabilities.
inline void loss(onnx_call& call) {
    call.set(0, call.text("reduction", "mean") == "none" ? call.shape(1) : onnx_shape{});
    call.set(1, call.shape(0));
}

inline void quantize(onnx_call& call) {
    auto const said = call.type_of("output_dtype", onnx_type::undefined);
    call.set(0, call.shape(0), call.given(2) ? call.type(2) : said != onnx_type::undefined ? said : onnx_type::uint8);
}

inline void dequantize(onnx_call& call) {
    auto const said = call.type_of("output_dtype", onnx_type::undefined);
    call.set(0, call.shape(0), said != onnx_type::undefined ? said : call.type(1));
}

inline void quantize_dynamically(onnx_call& call) {
    call.set(0, call.shape(0), onnx_type::uint8);
    call.set(1, {}, onnx_type::float32);
    call.set(2, {}, onnx_type::uint8);
}

/// The discrete Fourier transform of [batch, …, 1 or 2]: complex numbers, half of them with `onesided`.
inline void fourier_transform(onnx_call& call) {
    auto shape = call.shape(0, 2);
    auto chosen = std::optional(call.number("axis", call.has("axis") || call.opset < 20 ? 1 : -2));
    if (call.given(2)) chosen = call.integer(2);
    if (!chosen || (call.given(1) && !call.integer(1))) return;
    auto& extent = shape[call.axis(*chosen, shape.size())];
    auto const half = call.number("onesided", 0) != 0, inverse = call.number("inverse", 0) != 0;
    if (half && inverse) extent = call.multiply(2, call.add(extent, -1));
    if (call.given(1)) extent = *call.integer(1);
    if (half && !inverse) extent = extent / 2 + 1;
    shape.back() = half && inverse ? 1 : 2;
    call.set(0, std::move(shape));
}

/// signal [batch, length, …], frame_step, window, frame_length.
inline void short_time_fourier_transform(onnx_call& call) {
    auto const& signal = call.shape(0, 2);
    auto const step = call.integer(1);
    auto length = call.integer(3);
    if (!length && call.known(2)) length = call.shape(2, 1)[0];
    if (!step || !length) return;
    if (*step < 1 || *length < 0 || *length > signal[1]) call.fail("frames do not fit the signal");
    auto const bins = call.number("onesided", 1) != 0 ? *length / 2 + 1 : *length;
    call.set(0, {signal[0], (signal[1] - *length) / *step + 1, bins, 2});
}

inline void window_function(onnx_call& call) {
    if (auto const size = call.integer(0)) call.set(0, {*size}, call.type_of("output_datatype", onnx_type::float32));
}

inline void mel_weights(onnx_call& call) {
    auto const bins = call.integer(0), length = call.integer(1);
    if (bins && length) call.set(0, {*length / 2 + 1, *bins}, call.type_of("output_datatype", onnx_type::float32));
}

inline constexpr auto reduction_rules = std::to_array<onnx_rule>({
    {"ArgMax", 1, position_of_extreme},
    {"ArgMin", 1, position_of_extreme},
    {"BlackmanWindow", 0, window_function},
    {"DFT", 1, fourier_transform},
    {"DequantizeLinear", 1, dequantize},
    {"DynamicQuantizeLinear", 1, quantize_dynamically},
    {"HammingWindow", 0, window_function},
    {"HannWindow", 0, window_function},
    {"MelWeightMatrix", 0, mel_weights},
    {"NegativeLogLikelihoodLoss", 2, loss},
    {"QuantizeLinear", 1, quantize},
    {"ReduceL1", 1, reduce},
    {"ReduceL2", 1, reduce},
    {"ReduceLogSum", 1, reduce},
    {"ReduceLogSumExp", 1, reduce},
    {"ReduceMax", 1, reduce},
    {"ReduceMean", 1, reduce},
    {"ReduceMin", 1, reduce},
    {"ReduceProd", 1, reduce},
    {"ReduceSum", 1, reduce},
    {"ReduceSumSquare", 1, reduce},
    {"STFT", 1, short_time_fourier_transform},
    {"SoftmaxCrossEntropyLoss", 2, loss},
});

}  // namespace repebble::inline v0::io::detail

#endif
