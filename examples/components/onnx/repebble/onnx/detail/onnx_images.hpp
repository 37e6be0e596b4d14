#ifndef REPEBBLE_ONNX_DETAIL_ONNX_IMAGES_HPP
#define REPEBBLE_ONNX_DETAIL_ONNX_IMAGES_HPP

// Shapes of operators on images: resizing, sampling, regions of interest, detection. What detection finds has an open
// extent.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <repebble/onnx/detail/onnx_call.hpp>

namespace repebble::inline v0::io::detail {

/// An extent times a scale in single precision, as runtimes do, rounded down.
[[nodiscard]] inline auto scaled_extent(onnx_call const& call, double extent, double scale) -> std::int64_t {
    return call.whole(static_cast<double>(static_cast<float>(extent) * static_cast<float>(scale)));
}

/// Shape of a resize to `sizes` on some axes; other policies than stretch keep the ratio of the extents.
inline void resize_to(onnx_call& call, onnx_shape shape, std::vector<std::size_t> const& axes,
                      onnx_shape const& sizes) {
    call.expect_count(sizes, axes.size(), "sizes");
    auto const policy = call.text("keep_aspect_ratio_policy", "stretch");
    std::optional<double> ratio;
    for (std::size_t k = 0; k < axes.size(); ++k) {
        auto const here = static_cast<double>(sizes[k]) / static_cast<double>(shape[axes[k]]);
        ratio = !ratio ? here : policy == "not_smaller" ? std::max(*ratio, here) : std::min(*ratio, here);
    }
    for (std::size_t k = 0; k < axes.size(); ++k) {
        auto& extent = shape[axes[k]];
        extent = policy == "stretch" ? sizes[k] : call.whole(*ratio * static_cast<double>(extent) + 0.5);
    }
    call.set(0, std::move(shape));
}

/// Resize: X, roi, scales, sizes; before opset 11 X, scales.
inline void resize(onnx_call& call) {
    auto shape = call.shape(0);
    std::vector<std::size_t> axes;
    if (auto const* given = call.numbers("axes"))
        for (auto const a : *given) axes.push_back(call.axis(a, shape.size()));
    else
        for (std::size_t i = 0; i < shape.size(); ++i) axes.push_back(i);
    auto const given = [&](std::size_t i) { return call.given(i) && call.inputs[i]->shape != onnx_shape{0}; };
    if (given(3)) {
        if (auto const* sizes = call.integers(3)) resize_to(call, std::move(shape), axes, *sizes);
        return;
    }
    auto const* scales = call.reals(call.inputs.size() == 2 ? 1 : 2);
    if (!scales) return;
    if (scales->size() != axes.size())
        call.fail("has " + std::to_string(scales->size()) + " scales of " + std::to_string(axes.size()) + " axes");
    auto const crop = call.text("coordinate_transformation_mode", "") == "tf_crop_and_resize";
    auto const* region = call.reals(1);
    if (crop && (!region || region->size() != 2 * axes.size())) return;
    for (std::size_t k = 0; k < axes.size(); ++k) {
        auto& extent = shape[axes[k]];
        auto const part = crop ? (*region)[axes.size() + k] - (*region)[k] : 1.0;
        extent = scaled_extent(call, static_cast<double>(extent) * part, (*scales)[k]);
    }
    call.set(0, std::move(shape));
}

/// Upsample, which Resize replaced in opset 10.
inline void upsample(onnx_call& call) {
    auto shape = call.shape(0);
    auto const* scales = call.reals_of("scales");
    if (!scales) scales = call.reals(1);
    if (call.has("height_scale") && call.has("width_scale")) {
        static_cast<void>(call.shape(0, 4));
        shape[2] = scaled_extent(call, static_cast<double>(shape[2]), call.real("height_scale", 1));
        shape[3] = scaled_extent(call, static_cast<double>(shape[3]), call.real("width_scale", 1));
    } else {
        if (!scales) return;
        if (scales->size() != shape.size())
            call.fail("has " + std::to_string(scales->size()) + " scales of " + std::to_string(shape.size()) + " axes");
        for (std::size_t i = 0; i < shape.size(); ++i)
            shape[i] = scaled_extent(call, static_cast<double>(shape[i]), (*scales)[i]);
    }
    call.set(0, std::move(shape));
}

/// X [N, C, …], grid [N, …, coordinates].
inline void grid_sample(onnx_call& call) {
    auto const &x = call.shape(0, 3), &grid = call.shape(1, 3);
    call.expect_count(grid, x.size(), "shape of the grid");
    onnx_shape shape{x[0], x[1]};
    shape.insert(shape.end(), grid.begin() + 1, grid.end() - 1);
    call.set(0, std::move(shape));
}

/// theta [N, …], size [N, C, …].
inline void affine_grid(onnx_call& call) {
    auto const* size = call.integers(1);
    if (!size) return;
    if (size->size() != 4 && size->size() != 5) call.fail("size has " + std::to_string(size->size()) + " numbers");
    onnx_shape shape{size->front()};
    shape.insert(shape.end(), size->begin() + 2, size->end());
    shape.push_back(static_cast<std::int64_t>(size->size()) - 2);
    call.set(0, std::move(shape));
}

inline void align_regions(onnx_call& call) {
    call.set(
        0, {call.shape(1, 1)[0], call.shape(0, 4)[1], call.number("output_height", 1), call.number("output_width", 1)});
}

inline void pool_regions(onnx_call& call) {
    auto const* pooled = call.numbers("pooled_shape");
    if (!pooled) call.fail("has no attribute 'pooled_shape'");
    call.expect_count(*pooled, 2, "pooled_shape");
    call.set(0, {call.shape(1, 1)[0], call.shape(0, 4)[1], (*pooled)[0], (*pooled)[1]});
}

inline constexpr auto image_rules = std::to_array<onnx_rule>({
    {"AffineGrid", 0, affine_grid},
    {"GridSample", 2, grid_sample},
    {"MaxRoiPool", 2, pool_regions},
    {"NonMaxSuppression", 0,
     [](onnx_call& call) {
         call.set(0, {open_extent, 3}, onnx_type::int64);
     }},
    {"Resize", 1, resize},
    {"RoiAlign", 2, align_regions},
    {"Upsample", 1, upsample},
});

}  // namespace repebble::inline v0::io::detail

#endif
