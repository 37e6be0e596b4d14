#ifndef REPEBBLE_ONNX_DETAIL_ONNX_LAYOUT_HPP
#define REPEBBLE_ONNX_DETAIL_ONNX_LAYOUT_HPP

// Shapes of operators that move elements by axes: reshapes, slices, paddings, concatenations.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <repebble/onnx/detail/onnx_call.hpp>

namespace repebble::inline v0::io::detail {

/// 0 copies the extent of the same axis, -1 takes what remains.
inline void reshape(onnx_call& call) {
    auto const& in = call.shape(0);
    auto const [known, wanted] = call.list("shape", 1);
    if (!known) return;
    if (!wanted) call.fail("has no shape");
    auto shape = *wanted;
    auto const zeros = call.number("allowzero", 0) != 0;
    auto rest = shape.size();
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (shape[i] == 0 && !zeros) {
            if (i >= in.size())
                call.fail("shape " + shape_text(shape) + " copies axis " + std::to_string(i) + " of " + shape_text(in));
            shape[i] = in[i];
        } else if (shape[i] == -1) {
            if (rest < shape.size()) call.fail("shape " + shape_text(*wanted) + " has -1 twice");
            rest = i;
            shape[i] = 1;
        } else if (shape[i] < 0) {
            call.fail("shape " + shape_text(*wanted) + " has " + std::to_string(shape[i]));
        }
    }
    auto const all = call.elements(in), others = call.elements(shape);
    auto const fits = rest == shape.size() ? all == others : others == 0 ? all == 0 : all % others == 0;
    if (!fits) call.fail("shape " + shape_text(in) + " cannot be reshaped to " + shape_text(*wanted));
    if (rest < shape.size()) shape[rest] = others == 0 ? 0 : all / others;
    call.set(0, std::move(shape));
}

inline void flatten_axes(onnx_call& call) {
    auto const& in = call.shape(0);
    auto const n = static_cast<std::int64_t>(in.size());
    auto at = call.number("axis", 1);
    if (at < -n || at > n) call.fail("axis " + std::to_string(at) + " is out of range: there are " + std::to_string(n));
    if (at < 0) at += n;
    auto const middle = in.begin() + at;
    call.set(0, {call.elements({in.begin(), middle}), call.elements({middle, in.end()})});
}

inline void squeeze(onnx_call& call) {
    auto const& in = call.shape(0);
    auto const [known, list] = call.list("axes", 1);
    if (!known) return;
    auto const all = !list || list->empty();
    auto const gone = call.axes(all ? onnx_shape{} : *list, in.size());
    onnx_shape shape;
    for (std::size_t i = 0; i < in.size(); ++i) {
        if (gone[i] && in[i] != 1) call.fail("axis " + std::to_string(i) + " of " + shape_text(in) + " is not 1");
        if (!gone[i] && !(all && in[i] == 1)) shape.push_back(in[i]);
    }
    call.set(0, std::move(shape));
}

inline void unsqueeze(onnx_call& call) {
    auto const& in = call.shape(0);
    auto const [known, list] = call.list("axes", 1);
    if (!known) return;
    if (!list) call.fail("has no axes");
    auto const rank = in.size() + list->size();
    auto const added = call.axes(*list, rank);
    onnx_shape shape(rank, 1);
    for (std::size_t i = 0, from = 0; i < rank; ++i)
        if (!added[i]) shape[i] = in[from++];
    call.set(0, std::move(shape));
}

/// The axes of the input in the order of the output's: reversed, where the node does not say.
[[nodiscard]] inline auto permutation(onnx_call const& call) -> std::vector<std::size_t> {
    auto const rank = call.shape(0).size();
    std::vector<std::size_t> order(rank);
    for (std::size_t i = 0; i < rank; ++i) order[i] = rank - 1 - i;
    auto const* given = call.numbers("perm");
    if (!given || (given->empty() && rank != 0)) return order;
    call.expect_count(*given, rank, "perm");
    static_cast<void>(call.axes(*given, rank));
    for (std::size_t i = 0; i < rank; ++i) order[i] = call.axis((*given)[i], rank);
    return order;
}

inline void transpose(onnx_call& call) {
    onnx_shape shape;
    for (auto const from : permutation(call)) shape.push_back(call.shape(0)[from]);
    call.set(0, std::move(shape));
}

inline void concat(onnx_call& call) {
    auto shape = call.shape(0, 1);
    auto const at = call.axis(call.number("axis", 1), shape.size());
    for (std::size_t i = 1; i < call.inputs.size(); ++i) {
        if (!call.known(i)) return;
        auto const& other = call.shape(i);
        for (std::size_t k = 0; k < shape.size(); ++k)
            if (other.size() != shape.size() || (k != at && other[k] != shape[k]))
                call.fail("input " + std::to_string(i) + " of shape " + shape_text(other) + " does not fit " +
                          shape_text(call.shape(0)) + " beside axis " + std::to_string(at));
        shape[at] = call.add(shape[at], other[at]);
    }
    call.set(0, std::move(shape));
}

/// The extents of the parts: those that are given, or equal ones, of which the last may be smaller.
[[nodiscard]] inline auto split_sizes(onnx_call const& call, std::int64_t extent, onnx_shape const* given)
    -> onnx_shape {
    auto const count = call.outputs.size();
    if (given) {
        call.expect_count(*given, count, "split");
        std::int64_t sum = 0;
        for (auto const size : *given) sum = call.add(sum, size);
        call.expect_equal(sum, extent, "the sum of the parts and the extent");
        return *given;
    }
    auto const parts = static_cast<std::int64_t>(count);
    call.expect_equal(call.number("num_outputs", parts), parts, "num_outputs and the number of outputs");
    auto const size = extent / parts + (extent % parts != 0);
    onnx_shape sizes(count, size);
    sizes.back() = extent - size * (parts - 1);
    if (sizes.back() < 0) call.fail(std::to_string(extent) + " elements cannot be split into " + std::to_string(parts));
    return sizes;
}

inline void split(onnx_call& call) {
    auto const& in = call.shape(0, 1);
    auto const [known, given] = call.list("split", 1);
    auto const at = call.axis(call.number("axis", 0), in.size());
    if (!known) return;
    auto const sizes = split_sizes(call, in[at], given);
    for (std::size_t k = 0; k < sizes.size(); ++k) {
        auto shape = in;
        shape[at] = sizes[k];
        call.set(k, std::move(shape));
    }
}

/// Positions that a slice takes from one axis: start, start + step, ….
struct slice_range {
    std::int64_t start = 0, step = 1, count = 0;
};

[[nodiscard]] inline auto clamped_slice(std::int64_t extent, std::int64_t start, std::int64_t end, std::int64_t step)
    -> slice_range {
    if (extent == 0) return {0, step, 0};
    std::int64_t const low = step > 0 ? 0 : -1, high = step > 0 ? extent : extent - 1;
    start = std::clamp<std::int64_t>(start < 0 ? start + extent : start, 0, high);
    end = std::clamp(end < 0 ? end + extent : end, low, high);
    auto const distance = step > 0 ? end - start : start - end;
    auto const size = step > 0 ? step : -std::max(step, -std::numeric_limits<std::int64_t>::max());
    return {start, step, distance > 0 ? (distance - 1) / size + 1 : 0};
}

/// The ranges of all axes; nothing where contents are unknown.
[[nodiscard]] inline auto slice_ranges(onnx_call const& call) -> std::optional<std::vector<slice_range>> {
    auto const& in = call.shape(0);
    auto const starts = call.list("starts", 1), ends = call.list("ends", 2), axes = call.list("axes", 3),
               steps = call.list("steps", 4);
    if (!starts.known || !ends.known || !axes.known || !steps.known) return std::nullopt;
    if (!starts.values || !ends.values) call.fail("has no starts or no ends");
    auto const count = starts.values->size();
    call.expect_count(*ends.values, count, "ends");
    if (axes.values) call.expect_count(*axes.values, count, "axes");
    if (steps.values) call.expect_count(*steps.values, count, "steps");
    if (!axes.values && count > in.size()) call.fail("has starts of " + std::to_string(count) + " axes");
    std::vector<slice_range> ranges(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) ranges[i].count = in[i];
    for (std::size_t k = 0; k < count; ++k) {
        auto const at = axes.values ? call.axis((*axes.values)[k], in.size()) : k;
        auto const step = steps.values ? (*steps.values)[k] : 1;
        if (step == 0) call.fail("a step is zero");
        ranges[at] = clamped_slice(in[at], (*starts.values)[k], (*ends.values)[k], step);
    }
    return ranges;
}

inline void slice(onnx_call& call) {
    auto const ranges = slice_ranges(call);
    if (!ranges) return;
    onnx_shape shape;
    for (auto const& range : *ranges) shape.push_back(range.count);
    call.set(0, std::move(shape));
}

inline void pad(onnx_call& call) {
    auto shape = call.shape(0);
    auto pads = call.has("paddings") ? onnx_list{true, call.numbers("paddings")} : call.list("pads", 1);
    auto const axes = call.list("axes", 3);
    if (!pads.known || !axes.known) return;
    if (!pads.values) call.fail("has no pads");
    auto const count = axes.values ? axes.values->size() : shape.size();
    call.expect_count(*pads.values, 2 * count, "pads");
    for (std::size_t k = 0; k < count; ++k) {
        auto& extent = shape[axes.values ? call.axis((*axes.values)[k], shape.size()) : k];
        extent = call.add(extent, call.add((*pads.values)[k], (*pads.values)[count + k]));
    }
    call.set(0, std::move(shape));
}

inline void expand(onnx_call& call) {
    if (auto const* wanted = call.integers(1)) call.set(0, call.broadcast(call.shape(0), *wanted));
}

inline void tile(onnx_call& call) {
    auto shape = call.shape(0);
    auto const* repeats = call.integers(1);
    if (!repeats) return;
    call.expect_count(*repeats, shape.size(), "repeats");
    for (std::size_t i = 0; i < shape.size(); ++i) shape[i] = call.multiply(shape[i], (*repeats)[i]);
    call.set(0, std::move(shape));
}

[[nodiscard]] inline auto block_size(onnx_call const& call) -> std::int64_t {
    auto const size = call.required("blocksize");
    if (size < 1) call.fail("blocksize is " + std::to_string(size));
    return size;
}

inline void depth_to_space(onnx_call& call) {
    auto shape = call.shape(0, 4);
    auto const size = block_size(call), area = call.multiply(size, size);
    if (shape[1] % area != 0)
        call.fail("channels of " + shape_text(shape) + " are no multiple of " + std::to_string(area));
    call.set(0, {shape[0], shape[1] / area, call.multiply(shape[2], size), call.multiply(shape[3], size)});
}

inline void space_to_depth(onnx_call& call) {
    auto shape = call.shape(0, 4);
    auto const size = block_size(call), area = call.multiply(size, size);
    if (shape[2] % size != 0 || shape[3] % size != 0)
        call.fail("extents of " + shape_text(shape) + " are no multiples of " + std::to_string(size));
    call.set(0, {shape[0], call.multiply(shape[1], area), shape[2] / size, shape[3] / size});
}

inline void center_crop_pad(onnx_call& call) {
    auto shape = call.shape(0);
    auto const* wanted = call.integers(1);
    if (!wanted) return;
    auto const* axes = call.numbers("axes");
    call.expect_count(*wanted, axes ? axes->size() : shape.size(), "shape");
    for (std::size_t k = 0; k < wanted->size(); ++k)
        shape[axes ? call.axis((*axes)[k], shape.size()) : k] = (*wanted)[k];
    call.set(0, std::move(shape));
}

inline constexpr auto layout_rules = std::to_array<onnx_rule>({
    {"CenterCropPad", 1, center_crop_pad},
    {"Concat", 1, concat},
    {"DepthToSpace", 1, depth_to_space},
    {"Expand", 1, expand},
    {"Flatten", 1, flatten_axes},
    {"Pad", 1, pad},
    {"Reshape", 1, reshape},
    {"Slice", 1, slice},
    {"SpaceToDepth", 1, space_to_depth},
    {"Split", 1, split},
    {"Squeeze", 1, squeeze},
    {"Tile", 1, tile},
    {"Transpose", 1, transpose},
    {"Unsqueeze", 1, unsqueeze},
});

}  // namespace repebble::inline v0::io::detail

#endif
