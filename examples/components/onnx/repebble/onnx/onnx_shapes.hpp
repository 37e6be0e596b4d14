#ifndef REPEBBLE_ONNX_ONNX_SHAPES_HPP
#define REPEBBLE_ONNX_ONNX_SHAPES_HPP

// Types and shapes of all values of an ONNX model, by rules for each operator and by folding the constants that decide
// about shapes. onnx_flatten.hpp asks it for conditions, readers of networks for sizes.

#include <cstdint>
#include <map>
#include <string>

#include <repebble/io/read_account.hpp>
#include <repebble/onnx/onnx_known.hpp>
#include <repebble/onnx/onnx_model.hpp>

namespace repebble::inline v0::io {

/// Types, shapes and small contents of all values of a model's graph: of its inputs, its initializers and of what its
/// nodes make. Operators are those of ai.onnx, opsets 7 to 25, and the usual ones of com.microsoft; of others, and
/// where an extent depends on data, the declared shapes count. Calls of functions are not looked into: `flatten` first.
///
/// `dimensions` gives values of dimensions by their names in the file, or of axis i of a value as `value[i]`: also of
/// an input's extent that is a number in the file, and of an extent that depends on data (those that NonZero,
/// NonMaxSuppression, Compress or Unique find), of which `?` gives all others. Where it gives none, declared numbers
/// that contradict inference are errors; else inference is right.
///
/// Loops count as running to their trip count; of an `If` of unknown condition the shapes that both branches agree
/// about are known, or those of the only branch that fits.
///
/// Contents of at most 4,096 elements are kept. A shape is none where it is unknown after all that.
///
/// Throws bad_graph, naming the node, where inputs do not fit an operator, an extent overflows 64 bits, a value is read
/// before it is made or is made twice, or a declared shape contradicts; where a dimension is negative. Throws
/// limit_reached, naming the node, where the account is spent.
/// O(nodes log values) and the size of folded contents; a graph in k loops, each with s states, up to 1 + k s times.
[[nodiscard]] auto infer_shapes(onnx_model const& model, std::map<std::string, std::int64_t> const& dimensions = {},
                                read_account account = read_account()) -> std::map<std::string, onnx_known>;

}  // namespace repebble::inline v0::io

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/onnx/onnx_shapes.ipp>
#endif

#endif
