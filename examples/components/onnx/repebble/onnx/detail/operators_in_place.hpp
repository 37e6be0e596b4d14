#ifndef REPEBBLE_ONNX_DETAIL_OPERATORS_IN_PLACE_HPP
#define REPEBBLE_ONNX_DETAIL_OPERATORS_IN_PLACE_HPP

// Which ONNX operators may write over which of their operands.

#include <algorithm>
#include <array>
#include <cstddef>
#include <ranges>
#include <string_view>

#include <repebble/io/network_in_place.hpp>
#include <repebble/io/network_node.hpp>

namespace repebble::inline v0::io::detail {

/// Whether an operation may write over operand k, if that has its shape and type: each element depends on the
/// element at its place, on later or earlier ones of its row, or on operands that have other shapes.
[[nodiscard]] inline auto writes_over(network_node const& node, std::size_t k, bool training) -> bool {
    static constexpr std::array<std::string_view, 59> names{
        "Abs",      "Acos",       "Acosh",      "And",         "Asin",      "Asinh",      "Atan",
        "Atanh",    "BiasGelu",   "BitwiseAnd", "BitwiseNot",  "BitwiseOr", "BitwiseXor", "Ceil",
        "Celu",     "Clip",       "Cos",        "Cosh",        "CumSum",    "Elu",        "Erf",
        "Exp",      "FastGelu",   "Floor",      "HardSigmoid", "HardSwish", "Hardmax",    "LeakyRelu",
        "Log",      "LogSoftmax", "Max",        "Mean",        "Min",       "Mish",       "Mod",
        "Neg",      "Not",        "Or",         "PRelu",       "Pow",       "QuickGelu",  "Reciprocal",
        "Round",    "Selu",       "Shrink",     "Sign",        "Sin",       "Sinh",       "Softmax",
        "Softplus", "Softsign",   "Sqrt",       "Sum",         "Swish",     "Tan",        "ThresholdedRelu",
        "Trilu",    "Where",      "Xor"};
    static_assert(std::ranges::is_sorted(names));
    if (node.op == "FusedConv") return k == 3;  // the sum that is added
    return elementwise_by_name{}(node) || std::ranges::binary_search(names, node.op) ||
           (node.op == "BatchNormalization" && !training);
}

}  // namespace repebble::inline v0::io::detail

#endif
