#ifndef REPEBBLE_ONNX_DETAIL_ONNX_INDEXING_HPP
#define REPEBBLE_ONNX_DETAIL_ONNX_INDEXING_HPP

// Shapes of operators that look elements up, select or generate them. How many are found depends on data: an open
// extent, unless the contents are known.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <repebble/onnx/detail/onnx_call.hpp>

namespace repebble::inline v0::io::detail {

/// Shape of data with an axis replaced by the axes of indices.
inline void gather(onnx_call& call) {
    auto shape = call.shape(0, 1);
    auto const& indices = call.shape(1);
    auto const at = shape.begin() + static_cast<std::ptrdiff_t>(call.axis(call.number("axis", 0), shape.size()));
    shape.insert(shape.erase(at), indices.begin(), indices.end());
    call.set(0, std::move(shape));
}

inline void gather_elements(onnx_call& call) { call.set(0, call.shape(1)); }

inline void gather_nd(onnx_call& call) {
    auto const& data = call.shape(0, 1);
    auto shape = call.shape(1, 1);
    auto const skipped = call.add(call.number("batch_dims", 0), shape.back());
    if (skipped < 0 || skipped > static_cast<std::int64_t>(data.size()))
        call.fail("indices " + shape_text(shape) + " do not fit data " + shape_text(data));
    shape.pop_back();
    shape.insert(shape.end(), data.begin() + skipped, data.end());
    call.set(0, std::move(shape));
}

inline void compress(onnx_call& call) {
    auto shape = call.shape(0);
    auto const at = call.has("axis") ? call.axis(call.number("axis", 0), shape.size()) : 0;
    if (!call.has("axis")) shape = {call.elements(shape)};
    if (auto const* condition = call.integers(1))
        shape[at] = static_cast<std::int64_t>(condition->size()) - std::ranges::count(*condition, 0);
    else
        shape[at] = open_extent;
    call.set(0, std::move(shape));
}

inline void non_zero(onnx_call& call) {
    auto const& in = call.input(0);
    auto extent = open_extent;
    if (in.integers) extent = std::ranges::count_if(*in.integers, [](auto x) { return x != 0; });
    if (in.reals) extent = std::ranges::count_if(*in.reals, [](auto x) { return x < 0 || x > 0 || std::isnan(x); });
    call.set(0, {std::max<std::int64_t>(1, static_cast<std::int64_t>(call.shape(0).size())), extent}, onnx_type::int64);
}

inline void unique(onnx_call& call) {
    auto shape = call.shape(0);
    auto const elements = call.elements(shape);
    auto extent = open_extent;
    if (!call.has("axis")) {
        if (auto const* given = call.integers(0)) {
            auto values = *given;
            std::ranges::sort(values);
            extent = std::ranges::unique(values).begin() - values.begin();
        }
        shape = {extent};
    }
    auto const at = call.has("axis") ? call.axis(call.number("axis", 0), shape.size()) : 0;
    auto const all = call.has("axis") ? shape[at] : elements;
    shape[at] = extent;
    call.set(0, std::move(shape));
    call.set(1, {extent}, onnx_type::int64);
    call.set(2, {all}, onnx_type::int64);
    call.set(3, {extent}, onnx_type::int64);
}

inline void one_hot(onnx_call& call) {
    auto shape = call.shape(0);
    auto depth = call.integer(1);
    if (auto const* real = call.reals(1); real && real->size() == 1) depth = call.whole(real->front());
    if (!depth) return;
    auto const at = call.axis(call.number("axis", -1), shape.size() + 1);
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(at), *depth);
    call.set(0, std::move(shape), call.type(2));
}

inline void top_k(onnx_call& call) {
    auto shape = call.shape(0, 1);
    auto const at = call.axis(call.number("axis", -1), shape.size());
    auto const k = call.has("k") ? call.number("k", 0) : call.integer(1);
    if (!k) return;
    if (*k > shape[at])
        call.fail("k is " + std::to_string(*k) + ", but the axis has " + std::to_string(shape[at]) + " elements");
    shape[at] = *k;
    call.set(0, shape);
    call.set(1, std::move(shape), onnx_type::int64);
}

inline void shape_of(onnx_call& call) {
    auto const rank = static_cast<std::int64_t>(call.shape(0).size());
    auto const clamped = [&](std::int64_t at) { return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank); };
    auto const start = clamped(call.number("start", 0)), end = clamped(call.number("end", rank));
    call.set(0, {std::max<std::int64_t>(0, end - start)}, onnx_type::int64);
}

/// The number of terms of start, start + step, … below the limit.
inline void range(onnx_call& call) {
    auto const start = call.integer(0), limit = call.integer(1), step = call.integer(2);
    if (start && limit && step) {
        if (*step == 0) call.fail("the step is zero");
        auto const distance =
            *step > 0 ? call.add(*limit, call.multiply(*start, -1)) : call.add(*start, call.multiply(*limit, -1));
        auto const size = *step > 0 ? *step : call.multiply(*step, -1);
        call.set(0, {distance > 0 ? (distance - 1) / size + 1 : 0});
        return;
    }
    auto const *from = call.reals(0), *to = call.reals(1), *by = call.reals(2);
    if (!from || !to || !by || from->size() != 1 || to->size() != 1 || by->size() != 1) return;
    auto const count = std::ceil((to->front() - from->front()) / by->front());
    call.set(0, {call.whole(count < 0 ? 0.0 : count)});
}

inline void constant_of_shape(onnx_call& call) {
    auto const* value = call.tensor("value");
    if (auto const* shape = call.integers(0)) call.set(0, *shape, value ? value->type : onnx_type::float32);
    if (call.known(0) && call.shape(0) == onnx_shape{0}) call.set(0, {}, value ? value->type : onnx_type::float32);
}

inline void random(onnx_call& call) {
    auto const* shape = call.numbers("shape");
    if (!shape) call.fail("has no attribute 'shape'");
    call.set(0, *shape, call.type_of("dtype", onnx_type::float32));
}

inline void multinomial(onnx_call& call) {
    call.set(0, {call.shape(0, 1)[0], call.number("sample_size", 1)}, call.type_of("dtype", onnx_type::int32));
}

/// Parts of each string, as many as of the longest; beside them their numbers.
inline void split_strings(onnx_call& call) {
    auto shape = call.shape(0);
    call.set(1, shape, onnx_type::int64);
    shape.push_back(open_extent);
    call.set(0, std::move(shape), onnx_type::string);
}

/// Counts of n-grams by their indices.
inline void count_ngrams(onnx_call& call) {
    auto const* indices = call.numbers("ngram_indexes");
    if (!indices || indices->empty()) call.fail("has no attribute 'ngram_indexes'");
    auto shape = call.shape(0, 1);
    shape.back() = call.add(*std::ranges::max_element(*indices), 1);
    call.set(0, std::move(shape), onnx_type::float32);
}

inline constexpr auto indexing_rules = std::to_array<onnx_rule>({
    {"Compress", 1, compress},
    {"ConstantOfShape", 0, constant_of_shape},
    {"EyeLike", 1, [](onnx_call& call) { call.set(0, call.shape(0), call.type_of("dtype", call.type(0))); }},
    {"Gather", 2, gather},
    {"GatherElements", 2, gather_elements},
    {"GatherND", 2, gather_nd},
    {"Multinomial", 1, multinomial},
    {"NonZero", 1, non_zero},
    {"OneHot", 1, one_hot},
    {"RandomNormal", 0, random},
    {"RandomUniform", 0, random},
    {"Range", 0, range},
    {"Shape", 1, shape_of},
    {"Size", 1, [](onnx_call& call) { call.set(0, {}, onnx_type::int64); }},
    {"StringSplit", 1, split_strings},
    {"TfIdfVectorizer", 1, count_ngrams},
    {"TopK", 1, top_k},
    {"Unique", 1, unique},
});

}  // namespace repebble::inline v0::io::detail

#endif
