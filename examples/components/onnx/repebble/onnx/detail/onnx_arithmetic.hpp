#ifndef REPEBBLE_ONNX_DETAIL_ONNX_ARITHMETIC_HPP
#define REPEBBLE_ONNX_DETAIL_ONNX_ARITHMETIC_HPP

// Constant folding of operators that compute or generate numbers. Integers that do not fit in their type, divisions by
// zero and results that are no numbers stay unknown. Reals are rounded to their type, since sizes are made of them.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/onnx/detail/onnx_call.hpp>
#include <repebble/onnx/detail/onnx_contents.hpp>
#include <repebble/onnx/detail/onnx_reductions.hpp>

namespace repebble::inline v0::io::detail {

using folded_integer = std::optional<std::int64_t>;

[[nodiscard]] constexpr auto is_real(onnx_type type) -> bool {
    return type == onnx_type::float32 || type == onnx_type::float64 || type == onnx_type::float16 ||
           type == onnx_type::bfloat16;
}

/// The number, where its type can hold it.
[[nodiscard]] constexpr auto held_integer(std::int64_t x, onnx_type type) -> folded_integer {
    struct limits {
        onnx_type type;
        std::int64_t low, high;
    };
    constexpr auto most = std::numeric_limits<std::int64_t>::max(), least = std::numeric_limits<std::int64_t>::min();
    constexpr std::array all{limits{onnx_type::boolean, 0, 1},
                             limits{onnx_type::uint8, 0, 255},
                             limits{onnx_type::int8, -128, 127},
                             limits{onnx_type::uint16, 0, 65535},
                             limits{onnx_type::int16, -32768, 32767},
                             limits{onnx_type::int32, std::int64_t{-1} << 31, (std::int64_t{1} << 31) - 1},
                             limits{onnx_type::uint32, 0, (std::int64_t{1} << 32) - 1},
                             limits{onnx_type::int64, least, most},
                             limits{onnx_type::uint64, 0, most}};
    for (auto const& [known, low, high] : all)
        if (known == type) return x >= low && x <= high ? folded_integer(x) : std::nullopt;
    return std::nullopt;
}

/// The number rounded to the digits of its type.
[[nodiscard]] inline auto rounded_real(double x, onnx_type type) -> std::optional<double> {
    if (type == onnx_type::float64) return x;
    if (type == onnx_type::float32) return static_cast<double>(static_cast<float>(x));
    if (!is_real(type)) return std::nullopt;
    int exponent = 0;
    auto const mantissa = std::frexp(x, &exponent);
    auto const digits = type == onnx_type::float16 ? 11 : 8;
    return std::isfinite(x) ? std::ldexp(std::nearbyint(std::ldexp(mantissa, digits)), exponent - digits) : x;
}

[[nodiscard]] inline auto held(std::int64_t x, onnx_type type) -> folded_integer { return held_integer(x, type); }
[[nodiscard]] inline auto held(double x, onnx_type type) -> std::optional<double> { return rounded_real(x, type); }
template <class T>
[[nodiscard]] auto held(std::optional<T> x, onnx_type type) -> std::optional<T> {
    return x ? held(*x, type) : std::nullopt;
}

/// Contents of an input broadcast to the shape of the first output.
template <class T>
[[nodiscard]] auto broadcast_contents(onnx_call const& call, std::size_t i, std::vector<T> const& from)
    -> std::vector<T> {
    std::vector<T> to;
    for_each_position(*call.outputs[0].shape, [&](onnx_shape const& position) {
        to.push_back(from[static_cast<std::size_t>(broadcast_offset(position, call.shape(i)))]);
    });
    return to;
}

/// Folds inputs of one kind from left to right by op(a, b), each result held in the output's type.
template <class Contents, class Op>
void combine_inputs(onnx_call& call, Contents const contents, Op&& op) {
    auto& out = call.outputs[0];
    for (auto const* in : call.inputs)
        if (!in || !(in->*contents)) return;
    auto result = broadcast_contents(call, 0, *(call.inputs[0]->*contents));
    for (std::size_t i = 1; i < call.inputs.size(); ++i) {
        auto const other = broadcast_contents(call, i, *(call.inputs[i]->*contents));
        for (std::size_t k = 0; k < result.size(); ++k) {
            auto const value = held(op(result[k], other[k]), out.type);
            if (!value) return;
            result[k] = *value;
        }
    }
    out.*contents = std::move(result);
}

template <class Integers, class Reals>
void combine(onnx_call& call, Integers&& integers, Reals&& reals) {
    if (call.node.attributes.size() > 0 && call.number("broadcast", 0) != 0) return;
    combine_inputs(call, &onnx_known::integers, integers);
    combine_inputs(call, &onnx_known::reals, reals);
}

[[nodiscard]] inline auto folded_sum(std::int64_t a, std::int64_t b) -> folded_integer {
    return __builtin_add_overflow(a, b, &a) ? std::nullopt : folded_integer(a);
}
[[nodiscard]] inline auto folded_difference(std::int64_t a, std::int64_t b) -> folded_integer {
    return __builtin_sub_overflow(a, b, &a) ? std::nullopt : folded_integer(a);
}
[[nodiscard]] inline auto folded_product(std::int64_t a, std::int64_t b) -> folded_integer {
    return __builtin_mul_overflow(a, b, &a) ? std::nullopt : folded_integer(a);
}
[[nodiscard]] inline auto folded_quotient(std::int64_t a, std::int64_t b) -> folded_integer {
    if (b == 0 || (b == -1 && a == std::numeric_limits<std::int64_t>::min())) return std::nullopt;
    return a / b;
}
[[nodiscard]] inline auto folded_power(std::int64_t a, std::int64_t b) -> folded_integer {
    if (b < 0 || (b > 63 && (a < -1 || a > 1))) return std::nullopt;
    folded_integer result = 1;
    for (std::int64_t i = 0; i < (b > 63 ? 2 + b % 2 : b) && result; ++i) result = folded_product(*result, a);
    return result;
}

inline void fold_remainder(onnx_call& call) {
    auto const truncated = call.number("fmod", 0) != 0;
    combine(
        call,
        [&](std::int64_t a, std::int64_t b) -> folded_integer {
            if (b == 0) return std::nullopt;
            if (b == -1) return 0;
            auto const rest = a % b;
            return !truncated && rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
        },
        [&](double a, double b) -> std::optional<double> {
            return truncated ? std::optional(std::fmod(a, b)) : std::nullopt;
        });
}

/// Folds two inputs of one kind to truth values.
template <class Op>
void compare_contents(onnx_call& call, Op&& op) {
    auto const on = [&](auto const contents) {
        auto const &a = call.input(0).*contents, &b = call.input(1).*contents;
        if (!a || !b || call.number("broadcast", 0) != 0) return;
        auto const x = broadcast_contents(call, 0, *a), y = broadcast_contents(call, 1, *b);
        std::vector<std::int64_t> result;
        for (std::size_t k = 0; k < x.size(); ++k) result.push_back(op(x[k], y[k]) ? 1 : 0);
        call.outputs[0].integers = std::move(result);
    };
    on(&onnx_known::integers);
    on(&onnx_known::reals);
}

/// Folds each element of the only input.
template <class Integers, class Reals>
void transform_contents(onnx_call& call, Integers&& integers, Reals&& reals) {
    auto& out = call.outputs[0];
    auto const on = [&](auto const contents, auto&& op) {
        auto result = call.input(0).*contents;
        if (!result) return;
        for (auto& x : *result) {
            auto const value = held(op(x), out.type);
            if (!value) return;
            x = *value;
        }
        out.*contents = std::move(result);
    };
    on(&onnx_known::integers, integers);
    on(&onnx_known::reals, reals);
}

template <class Reals>
void transform_reals(onnx_call& call, Reals&& reals) {
    transform_contents(
        call, [](std::int64_t) { return folded_integer(); }, reals);
}

[[nodiscard]] inline auto unknown_real(double, double) -> std::optional<double> { return std::nullopt; }

/// Limits are inputs, either of which may be left out.
inline void fold_clip(onnx_call& call) {
    if (call.has("min") || call.has("max")) return;
    auto const on = [&](auto const contents) {
        auto result = call.input(0).*contents;
        for (auto const i : {std::size_t{1}, std::size_t{2}}) {
            if (!result || !call.given(i)) continue;
            auto const& limit = call.input(i).*contents;
            if (!limit || limit->size() != 1) return;
            for (auto& x : *result) x = i == 1 ? std::max(x, limit->front()) : std::min(x, limit->front());
        }
        call.outputs[0].*contents = std::move(result);
    };
    on(&onnx_known::integers);
    on(&onnx_known::reals);
}

/// To integers towards zero; to truth values by comparison with zero.
inline void fold_cast(onnx_call& call) {
    auto& out = call.outputs[0];
    auto const truth = out.type == onnx_type::boolean;
    onnx_shape whole;
    std::vector<double> real;
    auto const convert = [&](auto const& from) {
        for (auto const x : from) {
            auto const y = static_cast<double>(x);
            if (is_real(out.type)) {
                real.push_back(*rounded_real(y, out.type));
                continue;
            }
            folded_integer value;
            if (truth)
                value = y < 0 || y > 0 || std::isnan(y) ? 1 : 0;
            else if constexpr (std::is_same_v<std::remove_cvref_t<decltype(x)>, std::int64_t>)
                value = held_integer(x, out.type);
            else if (y > -0x1p63 && y < 0x1p63)
                value = held_integer(static_cast<std::int64_t>(y), out.type);
            if (!value) return;
            whole.push_back(*value);
        }
        if (is_real(out.type))
            out.reals = std::move(real);
        else
            out.integers = std::move(whole);
    };
    if (call.integers(0)) convert(*call.integers(0));
    if (call.reals(0)) convert(*call.reals(0));
}

/// Folds the elements of each group that a reduction unites by op(a, b), from left to right.
template <class Integers, class Reals>
void reduce_contents(onnx_call& call, Integers&& integers, Reals&& reals) {
    auto const& in = call.shape(0);
    auto const gone = reduced_axes(call, in.size());
    if (!gone || call.elements(in) == 0) return;
    auto const strides = strides_of(without_axes(in, *gone, true));
    auto& out = call.outputs[0];
    auto const on = [&](auto const contents, auto&& op) {
        auto const& from = call.input(0).*contents;
        if (!from) return;
        auto result = *from;  // as long as it can be
        std::vector<bool> begun(from->size(), false);
        bool fits = true;
        std::size_t i = 0;
        for_each_position(in, [&](auto position) {
            for (std::size_t k = 0; k < in.size(); ++k)
                if ((*gone)[k]) position[k] = 0;
            auto const to = static_cast<std::size_t>(offset_of(position, strides));
            auto const x = (*from)[i++];
            auto const value = begun[to] ? held(op(result[to], x), out.type) : std::optional(x);
            fits = fits && value;
            if (value) result[to] = *value;
            begun[to] = true;
        });
        result.resize(static_cast<std::size_t>(call.elements(*out.shape)));
        if (fits) out.*contents = std::move(result);
    };
    on(&onnx_known::integers, integers);
    on(&onnx_known::reals, reals);
}

inline void fold_position_of_extreme(onnx_call& call) {
    auto const& in = call.shape(0, 1);
    auto const at = call.axis(call.number("axis", 0), in.size());
    auto const greatest = call.node.op_type == "ArgMax", last = call.number("select_last_index", 0) != 0;
    auto const strides = strides_of(in);
    auto outer = in;
    outer[at] = 1;
    auto const on = [&](auto const& from) {
        onnx_shape result;
        for_each_position(outer, [&](onnx_shape const& position) {
            auto const begin = offset_of(position, strides);
            std::int64_t best = 0;
            for (std::int64_t i = 1; i < in[at]; ++i) {
                auto const a = from[static_cast<std::size_t>(begin + best * strides[at])];
                auto const b = from[static_cast<std::size_t>(begin + i * strides[at])];
                if (greatest ? b > a || (last && b >= a) : b < a || (last && b <= a)) best = i;
            }
            result.push_back(best);
        });
        call.outputs[0].integers = std::move(result);
    };
    if (in[at] == 0) return;
    if (call.integers(0)) on(*call.integers(0));
    if (call.reals(0)) on(*call.reals(0));
}

inline void fold_running_sum(onnx_call& call) {
    auto const& in = call.shape(0, 1);
    auto const* from = call.integers(0);
    auto const given = call.integer(1);
    if (!from || !given) return;
    auto const at = call.axis(*given, in.size());
    auto const strides = strides_of(in);
    auto const exclusive = call.number("exclusive", 0) != 0, reverse = call.number("reverse", 0) != 0;
    auto result = *from;
    auto outer = in;
    if (in[at] != 0) outer[at] = 1;
    bool fits = true;
    for_each_position(outer, [&](onnx_shape const& position) {
        std::int64_t sum = 0;
        for (std::int64_t i = 0; i < in[at] && fits; ++i) {
            auto const k =
                static_cast<std::size_t>(offset_of(position, strides) + (reverse ? in[at] - 1 - i : i) * strides[at]);
            auto const next = held(folded_sum(sum, (*from)[k]), call.outputs[0].type);
            fits = next.has_value();
            result[k] = exclusive ? sum : next.value_or(0);
            sum = next.value_or(0);
        }
    });
    if (fits) call.outputs[0].integers = std::move(result);
}

inline constexpr auto arithmetic_folds = std::to_array<onnx_fold>({
    {"Abs",
     [](onnx_call& c) {
         transform_contents(
             c, [](std::int64_t x) { return x < 0 ? folded_difference(0, x) : x; },
             [](double x) { return std::abs(x); });
     }},
    {"Add", [](onnx_call& c) { combine(c, folded_sum, std::plus<>()); }},
    {"And", [](onnx_call& c) { compare_contents(c, [](auto a, auto b) { return a > 0 && b > 0; }); }},
    {"ArgMax", fold_position_of_extreme},
    {"ArgMin", fold_position_of_extreme},
    {"BitwiseAnd", [](onnx_call& c) { combine(c, std::bit_and<>(), unknown_real); }},
    {"BitwiseOr", [](onnx_call& c) { combine(c, std::bit_or<>(), unknown_real); }},
    {"Cast", fold_cast},
    {"CastLike", fold_cast},
    {"Ceil", [](onnx_call& c) { transform_reals(c, [](double x) { return std::ceil(x); }); }},
    {"Clip", fold_clip},
    {"CumSum", fold_running_sum},
    {"Div", [](onnx_call& c) { combine(c, folded_quotient, std::divides<>()); }},
    {"Equal", [](onnx_call& c) { compare_contents(c, std::equal_to<>()); }},
    {"Exp", [](onnx_call& c) { transform_reals(c, [](double x) { return std::exp(x); }); }},
    {"Floor", [](onnx_call& c) { transform_reals(c, [](double x) { return std::floor(x); }); }},
    {"Greater", [](onnx_call& c) { compare_contents(c, std::greater<>()); }},
    {"GreaterOrEqual", [](onnx_call& c) { compare_contents(c, std::greater_equal<>()); }},
    {"Less", [](onnx_call& c) { compare_contents(c, std::less<>()); }},
    {"LessOrEqual", [](onnx_call& c) { compare_contents(c, std::less_equal<>()); }},
    {"Log", [](onnx_call& c) { transform_reals(c, [](double x) { return std::log(x); }); }},
    {"Max",
     [](onnx_call& c) {
         combine(
             c, [](auto a, auto b) { return std::max(a, b); }, [](auto a, auto b) { return std::max(a, b); });
     }},
    {"Min",
     [](onnx_call& c) {
         combine(
             c, [](auto a, auto b) { return std::min(a, b); }, [](auto a, auto b) { return std::min(a, b); });
     }},
    {"Mod", fold_remainder},
    {"Mul", [](onnx_call& c) { combine(c, folded_product, std::multiplies<>()); }},
    {"Neg",
     [](onnx_call& c) {
         transform_contents(
             c, [](std::int64_t x) { return folded_difference(0, x); }, std::negate<>());
     }},
    {"Not",
     [](onnx_call& c) {
         transform_contents(
             c, [](std::int64_t x) -> std::int64_t { return x == 0; }, std::negate<>());
     }},
    {"Or", [](onnx_call& c) { compare_contents(c, [](auto a, auto b) { return a > 0 || b > 0; }); }},
    {"Pow", [](onnx_call& c) { combine(c, folded_power, [](double a, double b) { return std::pow(a, b); }); }},
    {"Reciprocal", [](onnx_call& c) { transform_reals(c, [](double x) { return 1 / x; }); }},
    {"ReduceMax",
     [](onnx_call& c) {
         reduce_contents(
             c, [](auto a, auto b) { return std::max(a, b); }, [](auto a, auto b) { return std::max(a, b); });
     }},
    {"ReduceMin",
     [](onnx_call& c) {
         reduce_contents(
             c, [](auto a, auto b) { return std::min(a, b); }, [](auto a, auto b) { return std::min(a, b); });
     }},
    {"ReduceProd", [](onnx_call& c) { reduce_contents(c, folded_product, std::multiplies<>()); }},
    {"ReduceSum", [](onnx_call& c) { reduce_contents(c, folded_sum, std::plus<>()); }},
    {"Relu",
     [](onnx_call& c) {
         transform_contents(c, [](std::int64_t x) { return std::max<std::int64_t>(x, 0); },
                            [](double x) { return std::max(x, 0.0); });
     }},
    {"Round", [](onnx_call& c) { transform_reals(c, [](double x) { return std::nearbyint(x); }); }},
    {"Sign",
     [](onnx_call& c) {
         transform_contents(
             c, [](std::int64_t x) -> std::int64_t { return (x > 0) - (x < 0); },
             [](double x) { return static_cast<double>((x > 0) - (x < 0)); });
     }},
    {"Sqrt", [](onnx_call& c) { transform_reals(c, [](double x) { return std::sqrt(x); }); }},
    {"Sub", [](onnx_call& c) { combine(c, folded_difference, std::minus<>()); }},
    {"Sum", [](onnx_call& c) { combine(c, folded_sum, std::plus<>()); }},
    {"Xor", [](onnx_call& c) { compare_contents(c, [](auto a, auto b) { return (a > 0) != (b > 0); }); }},
});

}  // namespace repebble::inline v0::io::detail

#endif
