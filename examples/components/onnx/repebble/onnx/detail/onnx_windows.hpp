#ifndef REPEBBLE_ONNX_DETAIL_ONNX_WINDOWS_HPP
#define REPEBBLE_ONNX_DETAIL_ONNX_WINDOWS_HPP

// Shapes of convolutions and pools: windows of kernel, stride, dilation and padding that slide along spatial axes.

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <repebble/onnx/detail/onnx_call.hpp>

namespace repebble::inline v0::io::detail {

/// Windows of a convolution or a pool, one number for each spatial axis; of pads first those at the begin.
struct onnx_windows {
    onnx_shape kernel{}, strides{}, dilations{}, pads{};
    bool same = false;     ///< output of ceil(input / stride), whatever the kernel
    bool upwards = false;  ///< ceil_mode
};

[[nodiscard]] inline auto window_numbers(onnx_call const& call, char const* name, std::size_t count,
                                         std::int64_t otherwise, std::int64_t least) -> onnx_shape {
    auto const* given = call.numbers(name);
    if (!given || given->empty()) return onnx_shape(count, otherwise);
    call.expect_count(*given, count, name);
    for (auto const number : *given)
        if (number < least) call.fail(std::string(name) + " has " + std::to_string(number));
    return *given;
}

/// The attributes of windows with that kernel.
[[nodiscard]] inline auto read_windows(onnx_call const& call, onnx_shape kernel) -> onnx_windows {
    auto const axes = kernel.size();
    onnx_windows w{.kernel = std::move(kernel)};
    for (auto const extent : w.kernel)
        if (extent < 1) call.fail("kernel " + shape_text(w.kernel) + " is empty");
    w.strides = window_numbers(call, "strides", axes, 1, 1);
    w.dilations = window_numbers(call, "dilations", axes, 1, 1);
    auto const automatic = call.text("auto_pad", "NOTSET");
    w.same = automatic == "SAME_UPPER" || automatic == "SAME_LOWER";
    w.pads = automatic == "NOTSET" || automatic.empty()
                 ? window_numbers(call, "pads", 2 * axes, 0, std::numeric_limits<std::int64_t>::min())
                 : onnx_shape(2 * axes, 0);
    w.upwards = call.number("ceil_mode", 0) != 0;
    return w;
}

/// Distance between the first and the last element of a window, plus one.
[[nodiscard]] inline auto reach_of(onnx_call const& call, onnx_windows const& w, std::size_t i) -> std::int64_t {
    return call.add(call.multiply(w.dilations[i], w.kernel[i] - 1), 1);
}

/// The number of positions of the windows along spatial axis i. With ceil_mode none begins in the padding at the end.
[[nodiscard]] inline auto positions(onnx_call const& call, onnx_windows const& w, std::size_t i, std::int64_t extent)
    -> std::int64_t {
    auto const stride = w.strides[i];
    if (w.same) return extent / stride + (extent % stride != 0);
    auto const before = call.add(extent, w.pads[i]);
    auto const room = call.add(call.add(before, w.pads[w.kernel.size() + i]), -reach_of(call, w, i));
    if (room < 0)
        call.fail("a window that reaches over " + std::to_string(reach_of(call, w, i)) + " elements does not fit in " +
                  std::to_string(call.add(room, reach_of(call, w, i))) + " of spatial axis " + std::to_string(i));
    auto count = room / stride + 1;
    if (w.upwards && room % stride != 0 && call.multiply(count, stride) < before) ++count;
    return count;
}

/// The input's shape with the extents of channels and of spatial axes replaced; where channels stand last, there.
template <class Extent>
[[nodiscard]] auto spatial_shape(onnx_shape shape, bool channels_last, std::int64_t channels, Extent&& extent)
    -> onnx_shape {
    auto const first = channels_last ? std::size_t{1} : std::size_t{2};
    for (std::size_t i = 0; i + 2 < shape.size(); ++i) shape[first + i] = extent(i, shape[first + i]);
    shape[channels_last ? shape.size() - 1 : 1] = channels;
    return shape;
}

[[nodiscard]] inline auto channels_last(onnx_call const& call) -> bool {
    return call.number("channels_last", 0) != 0 || call.node.op_type.starts_with("Nhwc");
}

/// A convolution of input X by the weights [channels out, channels in of a group, kernel…].
[[nodiscard]] inline auto convolved(onnx_call const& call, std::size_t x, std::size_t weights) -> onnx_shape {
    auto const& in = call.shape(x, 2);
    auto const& w = call.shape(weights);
    call.expect_count(w, in.size(), "shape of the weights");
    auto const last = channels_last(call);
    auto const channels = last ? in.back() : in[1];
    call.expect_equal(channels, call.multiply(w[1], call.number("group", 1)), "channels of input and weights");
    onnx_shape kernel(w.begin() + 2, w.end());
    if (auto const* given = call.numbers("kernel_shape"); given && !given->empty()) {
        call.expect_count(*given, kernel.size(), "kernel_shape");
        if (*given != kernel)
            call.fail("kernel_shape is " + shape_text(*given) + ", but the weights have " + shape_text(kernel));
    }
    auto const windows = read_windows(call, std::move(kernel));
    return spatial_shape(in, last, w[0],
                         [&](std::size_t i, std::int64_t extent) { return positions(call, windows, i, extent); });
}

inline void convolution(onnx_call& call) { call.set(0, convolved(call, 0, 1)); }
inline void integer_convolution(onnx_call& call) { call.set(0, convolved(call, 0, 1), onnx_type::int32); }
inline void quantized_convolution(onnx_call& call) { call.set(0, convolved(call, 0, 3), call.type(7)); }

/// The transpose of a convolution with weights [channels in, channels out of a group, kernel…].
inline void transposed_convolution(onnx_call& call) {
    auto const& in = call.shape(0, 2);
    auto const& w = call.shape(1);
    call.expect_count(w, in.size(), "shape of the weights");
    call.expect_equal(in[1], w[0], "channels of input and weights");
    auto const axes = in.size() - 2;
    auto const windows = read_windows(call, onnx_shape(w.begin() + 2, w.end()));
    auto const more = window_numbers(call, "output_padding", axes, 0, 0);
    auto const* wanted = call.numbers("output_shape");
    if (wanted && wanted->size() < axes) call.expect_count(*wanted, axes, "output_shape");
    call.set(0, spatial_shape(in, false, call.multiply(w[1], call.number("group", 1)),
                              [&](std::size_t i, std::int64_t extent) {
                                  if (wanted && !wanted->empty()) return (*wanted)[wanted->size() - axes + i];
                                  if (windows.same) return call.multiply(extent, windows.strides[i]);
                                  auto const full = call.add(call.multiply(windows.strides[i], call.add(extent, -1)),
                                                             call.add(reach_of(call, windows, i), more[i]));
                                  return call.add(full, -call.add(windows.pads[i], windows.pads[axes + i]));
                              }));
}

[[nodiscard]] inline auto pooled(onnx_call const& call) -> onnx_shape {
    auto const& in = call.shape(0, 2);
    auto const* kernel = call.numbers("kernel_shape");
    if (!kernel) call.fail("has no attribute 'kernel_shape'");
    call.expect_count(*kernel, in.size() - 2, "kernel_shape");
    auto const windows = read_windows(call, *kernel);
    auto const last = channels_last(call);
    return spatial_shape(in, last, last ? in.back() : in[1],
                         [&](std::size_t i, std::int64_t extent) { return positions(call, windows, i, extent); });
}

inline void pool_window(onnx_call& call) {
    call.set(0, pooled(call));
    call.set(1, pooled(call), onnx_type::int64);
}

inline void global_pool(onnx_call& call) {
    auto const& in = call.shape(0, 2);
    auto const last = channels_last(call);
    call.set(0, spatial_shape(in, last, last ? in.back() : in[1], [](std::size_t, std::int64_t) { return 1; }));
}

inline void unpool(onnx_call& call) {
    auto const& in = call.shape(0, 2);
    auto const* kernel = call.numbers("kernel_shape");
    if (!kernel) call.fail("has no attribute 'kernel_shape'");
    call.expect_count(*kernel, in.size() - 2, "kernel_shape");
    if (call.given(2)) {
        if (auto const* wanted = call.integers(2)) call.set(0, *wanted);
        return;
    }
    auto const windows = read_windows(call, *kernel);
    call.set(0, spatial_shape(in, false, in[1], [&](std::size_t i, std::int64_t extent) {
                 auto const full = call.add(call.multiply(windows.strides[i], call.add(extent, -1)), windows.kernel[i]);
                 return call.add(full, -call.add(windows.pads[i], windows.pads[windows.kernel.size() + i]));
             }));
}

/// Patches of an image [N, C · block, L], added up where they overlap.
inline void column_to_image(onnx_call& call) {
    auto const& in = call.shape(0, 3);
    auto const *image = call.integers(1), *block = call.integers(2);
    if (!image || !block) return;
    auto const size = call.elements(*block);
    if (size < 1 || in[1] % size != 0)
        call.fail("channels " + std::to_string(in[1]) + " are no multiple of the block " + shape_text(*block));
    onnx_shape shape{in[0], in[1] / size};
    shape.insert(shape.end(), image->begin(), image->end());
    call.set(0, std::move(shape));
}

inline constexpr auto window_rules = std::to_array<onnx_rule>({
    {"AveragePool", 1, pool_window},
    {"Col2Im", 1, column_to_image},
    {"Conv", 2, convolution},
    {"ConvInteger", 2, integer_convolution},
    {"ConvTranspose", 2, transposed_convolution},
    {"DeformConv", 2, convolution},
    {"GlobalAveragePool", 1, global_pool},
    {"GlobalLpPool", 1, global_pool},
    {"GlobalMaxPool", 1, global_pool},
    {"LpPool", 1, pool_window},
    {"MaxPool", 1, pool_window},
    {"MaxUnpool", 2, unpool},
    {"QLinearConv", 4, quantized_convolution},
});

}  // namespace repebble::inline v0::io::detail

#endif
