#ifndef REPEBBLE_ONNX_DETAIL_ONNX_RULES_HPP
#define REPEBBLE_ONNX_DETAIL_ONNX_RULES_HPP

// The table of all operators: which rule finds shapes, which fold finds contents.

#include <initializer_list>
#include <span>
#include <string_view>

#include <repebble/onnx/detail/onnx_arithmetic.hpp>
#include <repebble/onnx/detail/onnx_contents.hpp>
#include <repebble/onnx/detail/onnx_elementwise.hpp>
#include <repebble/onnx/detail/onnx_generators.hpp>
#include <repebble/onnx/detail/onnx_images.hpp>
#include <repebble/onnx/detail/onnx_indexing.hpp>
#include <repebble/onnx/detail/onnx_layout.hpp>
#include <repebble/onnx/detail/onnx_matrices.hpp>
#include <repebble/onnx/detail/onnx_microsoft.hpp>
#include <repebble/onnx/detail/onnx_reductions.hpp>
#include <repebble/onnx/detail/onnx_sequences.hpp>
#include <repebble/onnx/detail/onnx_windows.hpp>
#include <repebble/onnx/detail/operator_domain.hpp>

namespace repebble::inline v0::io::detail {

/// The entry of an operator in the first table that has one; null where none has.
template <class Entry>
[[nodiscard]] auto entry_of(std::string_view op, std::initializer_list<std::span<Entry const>> tables) -> Entry const* {
    for (auto const table : tables)
        for (auto const& entry : table)
            if (entry.op == op) return &entry;
    return nullptr;
}

/// The rule of an operator; null where its domain or its name is not known.
[[nodiscard]] inline auto rule_of(onnx_node const& node) -> onnx_rule const* {
    if (node.domain == "com.microsoft")
        if (auto const* found = entry_of<onnx_rule>(node.op_type, {microsoft_rules})) return found;
    if (!is_onnx_domain(node.domain) && node.domain != "com.microsoft" && node.domain != "ai.onnx.preview")
        return nullptr;
    return entry_of<onnx_rule>(
        node.op_type, {elementwise_rules, generating_rules, layout_rules, window_rules, matrix_rules, indexing_rules,
                       reduction_rules, image_rules, sequence_rules});
}

/// The fold of an operator; null where it has none.
[[nodiscard]] inline auto fold_of(onnx_node const& node) -> onnx_fold const* {
    if (!is_onnx_domain(node.domain)) return nullptr;
    return entry_of<onnx_fold>(node.op_type, {moving_folds, arithmetic_folds, generating_folds});
}

/// Whether the node has a condition that chooses one of two graphs.
[[nodiscard]] inline auto is_branch(onnx_node const& node) -> bool {
    return node.op_type == "If" && is_onnx_domain(node.domain);
}

/// Whether two runs may give different outputs for equal inputs.
[[nodiscard]] inline auto is_random(std::string_view op) -> bool {
    for (std::string_view const name :
         {"Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike"})
        if (op == name) return true;
    return false;
}

/// Whether the outputs depend on the shape of the input only.
[[nodiscard]] inline auto reads_shape_only(std::string_view op) -> bool {
    return op == "Shape" || op == "Size" || op == "EyeLike";
}

}  // namespace repebble::inline v0::io::detail

#endif
