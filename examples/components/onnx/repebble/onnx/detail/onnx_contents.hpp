#ifndef REPEBBLE_ONNX_DETAIL_ONNX_CONTENTS_HPP
#define REPEBBLE_ONNX_DETAIL_ONNX_CONTENTS_HPP

// Constant folding of operators that move, select or generate elements, for values that decide about shapes. A fold is
// asked where all shapes of outputs are known and small; it sets the contents, or leaves them unknown.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <repebble/onnx/detail/onnx_call.hpp>
#include <repebble/onnx/detail/onnx_layout.hpp>

namespace repebble::inline v0::io::detail {

/// Folds the contents of an operator's outputs.
struct onnx_fold {
    std::string_view op;
    void (*fold)(onnx_call&);
};

/// The distance in memory of neighbours along each axis, row-major; 0 where it overflows, as in empty tensors.
[[nodiscard]] inline auto strides_of(onnx_shape const& shape) -> onnx_shape {
    onnx_shape strides(shape.size(), 1);
    for (auto i = shape.size(); i-- > 1;)
        if (__builtin_mul_overflow(strides[i], shape[i], &strides[i - 1])) strides[i - 1] = 0;
    return strides;
}

/// Calls f with the position of each element, in row-major order.
template <class F>
void for_each_position(onnx_shape const& shape, F&& f) {
    if (std::ranges::find(shape, 0) != shape.end()) return;
    onnx_shape position(shape.size(), 0);
    for (;;) {
        f(std::as_const(position));
        auto i = shape.size();
        while (i > 0 && ++position[i - 1] == shape[i - 1]) position[--i] = 0;
        if (i == 0) return;
    }
}

[[nodiscard]] inline auto offset_of(onnx_shape const& position, onnx_shape const& strides) -> std::int64_t {
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < strides.size(); ++i) offset += position[i] * strides[i];
    return offset;
}

/// Sets the contents of an output to f of the contents of an input, of whichever kind they are.
template <class F>
void map_contents(onnx_known& out, onnx_known const& in, F&& f) {
    if (in.integers) out.integers = f(*in.integers);
    if (in.reals) out.reals = f(*in.reals);
}

/// Sets an output to elements of an input: source(position) is the offset of the one that goes there.
template <class Source>
void move_elements(onnx_known& out, onnx_known const& in, Source&& source) {
    map_contents(out, in, [&](auto const& from) {
        auto to = std::remove_cvref_t<decltype(from)>();
        for_each_position(*out.shape, [&](onnx_shape const& position) {
            to.push_back(from[static_cast<std::size_t>(source(position))]);
        });
        return to;
    });
}

/// The offset of the element of an input that is broadcast to a position, axes aligned at the end.
[[nodiscard]] inline auto broadcast_offset(onnx_shape const& position, onnx_shape const& in) -> std::int64_t {
    std::int64_t offset = 0;
    auto const shift = position.size() - in.size();
    for (std::size_t i = 0; i < in.size(); ++i) offset = offset * in[i] + (in[i] == 1 ? 0 : position[shift + i]);
    return offset;
}

inline void fold_same(onnx_call& call) {
    map_contents(call.outputs[0], call.input(0), [](auto const& from) { return from; });
}

inline void fold_transpose(onnx_call& call) {
    auto const strides = strides_of(call.shape(0));
    onnx_shape permuted;
    for (auto const from : permutation(call)) permuted.push_back(strides[from]);
    move_elements(call.outputs[0], call.input(0), [&](auto const& position) { return offset_of(position, permuted); });
}

inline void fold_expand(onnx_call& call) {
    move_elements(call.outputs[0], call.input(0),
                  [&](auto const& position) { return broadcast_offset(position, call.shape(0)); });
}

inline void fold_tile(onnx_call& call) {
    auto const& in = call.shape(0);
    auto const strides = strides_of(in);
    move_elements(call.outputs[0], call.input(0), [&](auto position) {
        for (std::size_t i = 0; i < in.size(); ++i) position[i] %= in[i];
        return offset_of(position, strides);
    });
}

inline void fold_slice(onnx_call& call) {
    auto const ranges = slice_ranges(call);
    auto const strides = strides_of(call.shape(0));
    if (!ranges) return;
    move_elements(call.outputs[0], call.input(0), [&](auto position) {
        for (std::size_t i = 0; i < strides.size(); ++i)
            position[i] = (*ranges)[i].start + position[i] * (*ranges)[i].step;
        return offset_of(position, strides);
    });
}

inline void fold_split(onnx_call& call) {
    auto const strides = strides_of(call.shape(0));
    auto const at = call.axis(call.number("axis", 0), strides.size());
    std::int64_t before = 0;
    for (auto& out : call.outputs) {
        move_elements(out, call.input(0), [&](auto position) {
            position[at] += before;
            return offset_of(position, strides);
        });
        before += (*out.shape)[at];
    }
}

inline void fold_concat(onnx_call& call) {
    auto& out = call.outputs[0];
    auto const at = call.axis(call.number("axis", 1), out.shape->size());
    auto const joined = [&](auto const member) {
        auto to = std::remove_cvref_t<decltype(*(out.*member))>();
        for_each_position({out.shape->begin(), out.shape->begin() + static_cast<std::ptrdiff_t>(at)},
                          [&](onnx_shape const& position) {
                              for (auto const* in : call.inputs) {
                                  auto const& shape = *in->shape;
                                  auto const tail = shape.begin() + static_cast<std::ptrdiff_t>(at);
                                  auto const size = call.elements({tail, shape.end()});
                                  auto const from = broadcast_offset(position, {shape.begin(), tail}) * size;
                                  auto const begin = (in->*member)->begin() + from;
                                  to.insert(to.end(), begin, begin + size);
                              }
                          });
        return to;
    };
    auto const all = [&](auto const member) {
        return std::ranges::all_of(call.inputs, [&](auto const* in) { return (in->*member).has_value(); });
    };
    if (all(&onnx_known::integers)) out.integers = joined(&onnx_known::integers);
    if (all(&onnx_known::reals)) out.reals = joined(&onnx_known::reals);
}

/// An index that may count from the end; nothing where it is out of range.
[[nodiscard]] inline auto wrapped_index(std::int64_t index, std::int64_t extent) -> std::optional<std::int64_t> {
    if (index < -extent || index >= extent) return std::nullopt;
    return index < 0 ? index + extent : index;
}

[[nodiscard]] inline auto all_wrapped(onnx_call const& call, onnx_shape const& indices, std::int64_t extent)
    -> onnx_shape {
    onnx_shape result;
    for (auto const index : indices) {
        auto const wrapped = wrapped_index(index, extent);
        if (!wrapped)
            call.fail("index " + std::to_string(index) + " is out of range: there are " + std::to_string(extent));
        result.push_back(*wrapped);
    }
    return result;
}

inline void fold_gather(onnx_call& call) {
    auto const& in = call.shape(0);
    auto const at = call.axis(call.number("axis", 0), in.size());
    auto const* given = call.integers(1);
    if (!given) return;
    auto const indices = all_wrapped(call, *given, in[at]);
    auto const strides = strides_of(in), inner = strides_of(call.shape(1));
    move_elements(call.outputs[0], call.input(0), [&](onnx_shape const& position) {
        auto const middle = position.begin() + static_cast<std::ptrdiff_t>(at);
        auto const tail = middle + static_cast<std::ptrdiff_t>(inner.size());
        onnx_shape source(position.begin(), middle);
        source.push_back(indices[static_cast<std::size_t>(offset_of({middle, tail}, inner))]);
        source.insert(source.end(), tail, position.end());
        return offset_of(source, strides);
    });
}

inline void fold_gather_elements(onnx_call& call) {
    auto const& in = call.shape(0);
    auto const at = call.axis(call.number("axis", 0), in.size());
    auto const* given = call.integers(1);
    if (!given) return;
    auto const indices = all_wrapped(call, *given, in[at]);
    auto const strides = strides_of(in), own = strides_of(call.shape(1));
    move_elements(call.outputs[0], call.input(0), [&](auto position) {
        position[at] = indices[static_cast<std::size_t>(offset_of(position, own))];
        return offset_of(position, strides);
    });
}

inline void fold_compress(onnx_call& call) {
    auto const* condition = call.integers(1);
    if (!condition) return;
    onnx_shape chosen;
    for (std::size_t i = 0; i < condition->size(); ++i)
        if ((*condition)[i] != 0) chosen.push_back(static_cast<std::int64_t>(i));
    auto const in = call.has("axis") ? call.shape(0) : onnx_shape{call.elements(call.shape(0))};
    auto const strides = strides_of(in);
    auto const at = call.has("axis") ? call.axis(call.number("axis", 0), in.size()) : 0;
    if (static_cast<std::int64_t>(condition->size()) > in[at]) call.fail("the condition is longer than the axis");
    move_elements(call.outputs[0], call.input(0), [&](auto position) {
        position[at] = chosen[static_cast<std::size_t>(position[at])];
        return offset_of(position, strides);
    });
}

/// data with the slices at indices [..., depth] replaced by updates; no reduction.
inline void fold_scatter_nd(onnx_call& call) {
    auto const* given = call.integers(1);
    if (!given || call.text("reduction", "none") != "none") return;
    auto const& data = call.shape(0);
    auto const& where = call.shape(1, 1);
    auto const depth = where.back();
    if (depth < 1 || depth > static_cast<std::int64_t>(data.size())) return;
    auto const strides = strides_of(data);
    auto const size = strides[static_cast<std::size_t>(depth) - 1];
    onnx_shape begins;
    for (std::size_t i = 0; i < given->size(); i += static_cast<std::size_t>(depth)) {
        std::int64_t offset = 0;
        for (std::size_t k = 0; k < static_cast<std::size_t>(depth); ++k) {
            auto const index = wrapped_index((*given)[i + k], data[k]);
            if (!index) return;
            offset += *index * strides[k];
        }
        begins.push_back(offset);
    }
    auto const replace = [&](auto const member) {
        auto const &from = call.input(0).*member, &updates = call.input(2).*member;
        if (!from || !updates ||
            static_cast<std::int64_t>(updates->size()) != static_cast<std::int64_t>(begins.size()) * size)
            return;
        auto to = *from;
        for (std::size_t i = 0; i < begins.size(); ++i)
            std::copy_n(updates->begin() + static_cast<std::ptrdiff_t>(i) * size, size, to.begin() + begins[i]);
        call.outputs[0].*member = std::move(to);
    };
    replace(&onnx_known::integers);
    replace(&onnx_known::reals);
}

inline void fold_scatter_elements(onnx_call& call) {
    auto const* given = call.integers(1);
    if (!given || call.text("reduction", "none") != "none" || !call.known(1) || !call.known(2)) return;
    auto const& data = call.shape(0, 1);
    if (call.shape(1).size() != data.size() || call.shape(1) != call.shape(2)) return;
    auto const at = call.axis(call.number("axis", 0), data.size());
    auto const indices = all_wrapped(call, *given, data[at]);
    auto const strides = strides_of(data);
    auto const replace = [&](auto const member) {
        auto const &from = call.input(0).*member, &updates = call.input(2).*member;
        if (!from || !updates) return;
        auto to = *from;
        std::size_t i = 0;
        for_each_position(call.shape(1), [&](auto position) {
            position[at] = indices[i];
            to.at(static_cast<std::size_t>(offset_of(position, strides))) = (*updates)[i++];
        });
        call.outputs[0].*member = std::move(to);
    };
    replace(&onnx_known::integers);
    replace(&onnx_known::reals);
}

inline void fold_where(onnx_call& call) {
    auto const* condition = call.integers(0);
    if (!condition) return;
    auto const choose = [&](auto const member) {
        auto const &yes = call.input(1).*member, &no = call.input(2).*member;
        if (!yes || !no) return;
        auto to = std::remove_cvref_t<decltype(*yes)>();
        for_each_position(*call.outputs[0].shape, [&](onnx_shape const& position) {
            auto const at = [&](std::size_t i) {
                return static_cast<std::size_t>(broadcast_offset(position, call.shape(i)));
            };
            to.push_back((*condition)[at(0)] != 0 ? (*yes)[at(1)] : (*no)[at(2)]);
        });
        call.outputs[0].*member = std::move(to);
    };
    choose(&onnx_known::integers);
    choose(&onnx_known::reals);
}

/// The lower or the upper triangle of matrices, moved by k diagonals; zero beside it.
inline void fold_trilu(onnx_call& call) {
    auto const& shape = call.shape(0, 2);
    if (call.given(1) && !call.integer(1)) return;
    auto const k = call.given(1) ? *call.integer(1) : 0;
    auto const upper = call.number("upper", 1) != 0;
    map_contents(call.outputs[0], call.input(0), [&](auto to) {
        std::size_t i = 0;
        for_each_position(shape, [&](onnx_shape const& position) {
            auto const above = position.back() - position[shape.size() - 2];
            if (upper ? above < k : above > k) to[i] = 0;
            ++i;
        });
        return to;
    });
}

inline constexpr auto moving_folds = std::to_array<onnx_fold>({
    {"Compress", fold_compress},
    {"Concat", fold_concat},
    {"Expand", fold_expand},
    {"Flatten", fold_same},
    {"Gather", fold_gather},
    {"GatherElements", fold_gather_elements},
    {"Reshape", fold_same},
    {"ScatterElements", fold_scatter_elements},
    {"ScatterND", fold_scatter_nd},
    {"Slice", fold_slice},
    {"Split", fold_split},
    {"Squeeze", fold_same},
    {"Tile", fold_tile},
    {"Transpose", fold_transpose},
    {"Trilu", fold_trilu},
    {"Unsqueeze", fold_same},
    {"Where", fold_where},
});

}  // namespace repebble::inline v0::io::detail

#endif
