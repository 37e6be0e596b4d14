#ifndef REPEBBLE_ONNX_ONNX_FLATTEN_HPP
#define REPEBBLE_ONNX_ONNX_FLATTEN_HPP

// ONNX models without functions, without constants as nodes, without branches whose condition is known. Readers of
// networks flatten a model before they ask for shapes.

#include <cstdint>
#include <map>
#include <string>

#include <repebble/io/read_account.hpp>
#include <repebble/onnx/onnx_model.hpp>

namespace repebble::inline v0::io {

/// The model with calls of its functions replaced by their nodes, Constant nodes by initializers, and `If` nodes of a
/// known condition by the branch that is taken; in graphs inside of nodes, too. Conditions are found by `infer_shapes`
/// with these dimensions; inside of a node, known are those from around it and constants. Names of values that come
/// from a function or a branch begin with the first output of the call or the `If`, with a number behind it where names
/// begin so already, and `::`.
///
/// Throws bad_graph, naming the node, where a function calls itself, a call has too many inputs or outputs or graphs
/// and functions go deeper than 200, and as `infer_shapes` where there is an `If`; limit_reached, naming the node,
/// where the account is spent, as by functions that double at each level. O(nodes after it); inference once for each
/// level of nested conditions.
[[nodiscard]] auto flatten(onnx_model model, std::map<std::string, std::int64_t> const& dimensions = {},
                           read_account account = read_account()) -> onnx_model;

}  // namespace repebble::inline v0::io

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/onnx/onnx_flatten.ipp>
#endif

#endif
