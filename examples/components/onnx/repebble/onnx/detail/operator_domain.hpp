#ifndef REPEBBLE_ONNX_DETAIL_OPERATOR_DOMAIN_HPP
#define REPEBBLE_ONNX_DETAIL_OPERATOR_DOMAIN_HPP

// Domains of operators: only those of ONNX and of com.microsoft are known by their names alone.

#include <string>
#include <string_view>

#include <repebble/onnx/onnx_model.hpp>

namespace repebble::inline v0::io::detail {

/// Whether a domain is ONNX's own.
[[nodiscard]] inline auto is_onnx_domain(std::string_view domain) -> bool {
    return domain.empty() || domain == "ai.onnx";
}

/// Whether the operator of a node is another's, which is not ONNX's of the same name.
[[nodiscard]] inline auto is_foreign(onnx_node const& node) -> bool {
    return !is_onnx_domain(node.domain) && node.domain != "com.microsoft";
}

/// The name of a node's operator; of a foreign one with its domain.
[[nodiscard]] inline auto operator_name(onnx_node const& node) -> std::string {
    return is_foreign(node) ? node.domain + "." + node.op_type : node.op_type;
}

}  // namespace repebble::inline v0::io::detail

#endif
