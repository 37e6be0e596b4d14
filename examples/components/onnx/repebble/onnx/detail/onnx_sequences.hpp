#ifndef REPEBBLE_ONNX_DETAIL_ONNX_SEQUENCES_HPP
#define REPEBBLE_ONNX_DETAIL_ONNX_SEQUENCES_HPP

// Shapes of operators on sequences of tensors and on optional values, where each tensor of a sequence is known.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/onnx/detail/onnx_call.hpp>
#include <repebble/onnx/detail/onnx_layout.hpp>

namespace repebble::inline v0::io::detail {

/// Sets the output to a sequence of these tensors, of which types and shapes are kept.
inline void set_sequence(onnx_call& call, std::vector<onnx_known> tensors, onnx_type type) {
    if (call.outputs.empty()) return;
    call.outputs[0].type = type;
    call.outputs[0].sequence = std::move(tensors);
}

[[nodiscard]] inline auto sequence_of(onnx_call const& call) -> std::vector<onnx_known> const* {
    auto const& in = call.input(0);
    return in.sequence ? &*in.sequence : nullptr;
}

/// The position in a sequence that input i says, counted from the end where it is negative; nothing where unknown.
[[nodiscard]] inline auto sequence_position(onnx_call const& call, std::size_t i, std::size_t size)
    -> std::optional<std::size_t> {
    auto const at = call.integer(i);
    return at ? std::optional(call.axis(*at, size)) : std::nullopt;
}

inline void construct_sequence(onnx_call& call) {
    std::vector<onnx_known> tensors;
    for (std::size_t i = 0; i < call.inputs.size(); ++i) tensors.push_back(call.input(i));
    set_sequence(call, std::move(tensors), call.type(0));
}

inline void empty_sequence(onnx_call& call) { set_sequence(call, {}, call.type_of("dtype", onnx_type::float32)); }

inline void split_to_sequence(onnx_call& call) {
    auto const& in = call.shape(0, 1);
    auto const at = call.axis(call.number("axis", 0), in.size());
    onnx_shape sizes(static_cast<std::size_t>(std::min(in[at], folded_elements)), 1);
    if (in[at] > folded_elements || (call.given(1) && !call.integers(1))) return;
    auto const* split = call.integers(1);
    if (split && call.known(1) && call.shape(1).empty()) {
        auto const size = split->front();
        if (size < 1) call.fail("parts of " + std::to_string(size) + " elements");
        sizes.assign(static_cast<std::size_t>(in[at] / size), size);
        if (in[at] % size != 0) sizes.push_back(in[at] % size);
    } else if (split) {
        sizes = *split;
    }
    std::vector<onnx_known> tensors;
    for (auto const size : sizes) {
        auto shape = in;
        shape[at] = size;
        if (!split && call.number("keepdims", 1) == 0) shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(at));
        tensors.push_back({.type = call.type(0), .shape = std::move(shape)});
    }
    set_sequence(call, std::move(tensors), call.type(0));
}

/// The tensor at a position; at an unknown one where all have one shape.
inline void sequence_at(onnx_call& call) {
    auto const* tensors = sequence_of(call);
    if (!tensors || tensors->empty()) return;
    auto const at = sequence_position(call, 1, tensors->size());
    auto const same = [&](onnx_known const& other) { return other.shape == tensors->front().shape; };
    if (!at && !std::ranges::all_of(*tensors, same)) return;
    auto const& found = (*tensors)[at.value_or(0)];
    if (call.outputs.empty()) return;
    call.outputs[0] = found;
    if (at) return;
    call.outputs[0].integers.reset();
    call.outputs[0].reals.reset();
}

inline void sequence_insert(onnx_call& call) {
    auto const* tensors = sequence_of(call);
    if (!tensors) return;
    auto result = *tensors;
    auto const at = call.given(2) ? sequence_position(call, 2, result.size() + 1) : std::optional(result.size());
    if (!at) return;
    result.insert(result.begin() + static_cast<std::ptrdiff_t>(*at), call.input(1));
    set_sequence(call, std::move(result), call.type(1));
}

inline void sequence_erase(onnx_call& call) {
    auto const* tensors = sequence_of(call);
    if (!tensors || tensors->empty()) return;
    auto result = *tensors;
    auto const at = call.given(1) ? sequence_position(call, 1, result.size()) : std::optional(result.size() - 1);
    if (!at) return;
    result.erase(result.begin() + static_cast<std::ptrdiff_t>(*at));
    set_sequence(call, std::move(result), call.type(0));
}

inline void sequence_length(onnx_call& call) {
    call.set(0, {}, onnx_type::int64);
    auto const* tensors = sequence_of(call);
    if (tensors && !call.outputs.empty()) call.outputs[0].integers = {static_cast<std::int64_t>(tensors->size())};
}

inline void concat_from_sequence(onnx_call& call) {
    auto const* tensors = sequence_of(call);
    if (!tensors || tensors->empty() || !tensors->front().shape) return;
    auto shape = *tensors->front().shape;
    auto const fresh = call.number("new_axis", 0) != 0;
    auto const at = call.axis(call.required("axis"), shape.size() + (fresh ? 1 : 0));
    if (fresh) shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(at), 1);
    shape[at] = 0;
    for (auto const& tensor : *tensors) {
        if (!tensor.shape) return;
        if (!fresh && tensor.shape->size() != shape.size()) call.fail("tensors of the sequence differ in rank");
        shape[at] = call.add(shape[at], fresh ? 1 : (*tensor.shape)[at]);
    }
    call.set(0, std::move(shape), tensors->front().type);
}

inline void pass_on(onnx_call& call) {
    if (!call.outputs.empty() && call.given(0)) call.outputs[0] = call.input(0);
}

inline void has_element(onnx_call& call) { call.set(0, {}, onnx_type::boolean); }

inline constexpr auto sequence_rules = std::to_array<onnx_rule>({
    {"ConcatFromSequence", 0, concat_from_sequence},
    {"Identity", 0, pass_on},
    {"Optional", 0, pass_on},
    {"OptionalGetElement", 0, pass_on},
    {"OptionalHasElement", 0, has_element},
    {"SequenceAt", 0, sequence_at},
    {"SequenceConstruct", 0, construct_sequence},
    {"SequenceEmpty", 0, empty_sequence},
    {"SequenceErase", 0, sequence_erase},
    {"SequenceInsert", 0, sequence_insert},
    {"SequenceLength", 0, sequence_length},
    {"SplitToSequence", 1, split_to_sequence},
});

}  // namespace repebble::inline v0::io::detail

#endif
