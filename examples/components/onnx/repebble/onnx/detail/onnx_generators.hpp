#ifndef REPEBBLE_ONNX_DETAIL_ONNX_GENERATORS_HPP
#define REPEBBLE_ONNX_DETAIL_ONNX_GENERATORS_HPP

// Constant folding of operators that make contents out of shapes and of few numbers.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <repebble/onnx/detail/onnx_arithmetic.hpp>
#include <repebble/onnx/detail/onnx_call.hpp>
#include <repebble/onnx/detail/onnx_contents.hpp>

namespace repebble::inline v0::io::detail {

/// What is known of a tensor of the file. Throws bad_graph where its contents do not fill its shape.
[[nodiscard]] inline auto known_tensor(onnx_tensor const& tensor, std::string const& name) -> onnx_known {
    onnx_known known{.type = tensor.type, .shape = tensor.shape, .constant = true};
    auto const size = tensor.integers ? tensor.integers->size() : tensor.reals ? tensor.reals->size() : std::size_t{0};
    std::int64_t elements = 1;
    bool fits = true;
    for (auto const extent : tensor.shape) {
        if (extent < 0)
            repebble::detail::raise(bad_graph("tensor '" + name + "' has shape " + shape_text(tensor.shape)));
        fits = fits && !__builtin_mul_overflow(elements, extent, &elements);
    }
    if (!tensor.integers && !tensor.reals) return known;
    if (!fits || std::cmp_not_equal(size, elements))
        repebble::detail::raise(bad_graph("tensor '" + name + "' has " + std::to_string(size) +
                                          " elements, but its shape is " + shape_text(tensor.shape)));
    if (elements > folded_elements) return known;
    known.integers = tensor.integers;
    known.reals = tensor.reals;
    return known;
}

/// The tensor that a Constant node stands for; nothing where it is of a kind that planning does not read.
[[nodiscard]] inline auto constant_tensor(onnx_node const& node) -> std::optional<onnx_tensor> {
    onnx_call const call(node, 0);
    for (auto const* name : {"value", "sparse_value"})
        if (auto const* tensor = call.tensor(name)) return *tensor;
    auto const list = [](auto const& of, onnx_type type) {
        return onnx_tensor{.type = type, .shape = {static_cast<std::int64_t>(of.size())}};
    };
    if (auto const* integers = call.numbers("value_ints")) {
        auto tensor = list(*integers, onnx_type::int64);
        tensor.integers = *integers;
        return tensor;
    }
    if (auto const* reals = call.reals_of("value_floats")) {
        auto tensor = list(*reals, onnx_type::float32);
        tensor.reals = *reals;
        return tensor;
    }
    if (auto const* texts = call.texts("value_strings")) return list(*texts, onnx_type::string);
    if (call.has("value_int"))
        return onnx_tensor{.type = onnx_type::int64, .integers = onnx_shape{call.number("value_int", 0)}};
    if (call.has("value_float"))
        return onnx_tensor{.type = onnx_type::float32, .reals = std::vector<double>{call.real("value_float", 0)}};
    if (call.has("value_string")) return onnx_tensor{.type = onnx_type::string};
    return std::nullopt;
}

inline void constant(onnx_call& call) {
    if (auto const tensor = constant_tensor(call.node)) call.set(0, tensor->shape, tensor->type);
}

inline void fold_constant(onnx_call& call) {
    auto known = known_tensor(constant_tensor(call.node).value(), call.node.outputs[0]);
    call.outputs[0].integers = std::move(known.integers);
    call.outputs[0].reals = std::move(known.reals);
}

inline void fold_shape(onnx_call& call) {
    auto const& in = call.shape(0);
    auto const rank = static_cast<std::int64_t>(in.size());
    auto const start = call.number("start", 0);
    auto const begin = in.begin() + std::clamp<std::int64_t>(start < 0 ? start + rank : start, 0, rank);
    call.outputs[0].integers = onnx_shape(begin, begin + call.outputs[0].shape->front());
}

inline void fold_constant_of_shape(onnx_call& call) {
    auto& out = call.outputs[0];
    auto const count = static_cast<std::size_t>(call.elements(*out.shape));
    auto const* value = call.tensor("value");
    if (!value) out.reals = std::vector<double>(count, 0);
    if (value && value->integers && value->integers->size() == 1)
        out.integers = onnx_shape(count, value->integers->front());
    if (value && value->reals && value->reals->size() == 1)
        out.reals = std::vector<double>(count, value->reals->front());
}

inline void fold_eye(onnx_call& call) {
    auto& out = call.outputs[0];
    auto const k = call.number("k", 0);
    onnx_shape whole;
    for_each_position(*out.shape,
                      [&](auto const& position) { whole.push_back(position.back() - position.front() == k); });
    if (is_real(out.type))
        out.reals = std::vector<double>(whole.begin(), whole.end());
    else
        out.integers = std::move(whole);
}

inline void fold_range(onnx_call& call) {
    auto& out = call.outputs[0];
    auto const count = out.shape->front();
    if (call.integer(0) && call.integer(2)) {
        onnx_shape terms;
        for (auto x = *call.integer(0); std::cmp_less(terms.size(), count); x += *call.integer(2)) {
            terms.push_back(x);
            if (terms.size() == static_cast<std::size_t>(count)) break;
        }
        out.integers = std::move(terms);
    } else if (call.reals(0) && call.reals(2)) {
        std::vector<double> terms;
        for (std::int64_t i = 0; i < count; ++i)
            terms.push_back(
                rounded_real(call.reals(0)->front() + static_cast<double>(i) * call.reals(2)->front(), out.type)
                    .value_or(0));
        out.reals = std::move(terms);
    }
}

inline void fold_non_zero(onnx_call& call) {
    auto& out = call.outputs[0];
    auto const* from = call.integers(0);
    if (!from || call.shape(0).empty()) return;
    auto const count = static_cast<std::size_t>(out.shape->back());
    onnx_shape result(count * call.shape(0).size());
    std::size_t i = 0, found = 0;
    for_each_position(call.shape(0), [&](onnx_shape const& position) {
        if ((*from)[i++] == 0) return;
        for (std::size_t k = 0; k < position.size(); ++k) result[k * count + found] = position[k];
        ++found;
    });
    out.integers = std::move(result);
}

inline void fold_one_hot(onnx_call& call) {
    auto const* indices = call.integers(0);
    if (!indices) return;
    auto& out = call.outputs[0];
    auto const at = call.axis(call.number("axis", -1), out.shape->size());
    auto const depth = (*out.shape)[at];
    auto const own = strides_of(call.shape(0));
    auto const on = [&](auto const member) {
        auto const& values = call.input(2).*member;
        if (!values || values->size() != 2) return;
        auto to = std::remove_cvref_t<decltype(*values)>();
        for_each_position(*out.shape, [&](auto position) {
            auto const here = position[at];
            position.erase(position.begin() + static_cast<std::ptrdiff_t>(at));
            auto const hot = wrapped_index((*indices)[static_cast<std::size_t>(offset_of(position, own))], depth);
            to.push_back((*values)[hot == here ? 1 : 0]);
        });
        out.*member = std::move(to);
    };
    on(&onnx_known::integers);
    on(&onnx_known::reals);
}

inline constexpr auto generating_rules = std::to_array<onnx_rule>({
    {"Constant", 0, constant},
});

inline constexpr auto generating_folds = std::to_array<onnx_fold>({
    {"Constant", fold_constant},
    {"ConstantOfShape", fold_constant_of_shape},
    {"EyeLike", fold_eye},
    {"NonZero", fold_non_zero},
    {"OneHot", fold_one_hot},
    {"Range", fold_range},
    {"Shape", fold_shape},
    {"Size", [](onnx_call& call) { call.outputs[0].integers = {call.elements(call.shape(0))}; }},
});

}  // namespace repebble::inline v0::io::detail

#endif
