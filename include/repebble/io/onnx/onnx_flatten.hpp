#ifndef REPEBBLE_IO_ONNX_ONNX_FLATTEN_HPP
#define REPEBBLE_IO_ONNX_ONNX_FLATTEN_HPP

// ONNX models without functions, without constants as nodes, without branches whose condition is known. Readers of
// networks flatten a model before they ask for shapes.

#include <cstdint>
#include <map>
#include <string>

#include <repebble/io/onnx/detail/onnx_inline.hpp>
#include <repebble/io/onnx/onnx_model.hpp>
#include <repebble/io/onnx/onnx_shapes.hpp>

namespace repebble::inline v0::io {

/// The model with calls of its functions replaced by their nodes, Constant nodes by initializers, and `If` nodes of a
/// known condition by the branch that is taken; in graphs inside of nodes, too. Conditions are found by `infer_shapes`
/// with these dimensions; inside of a node, known are those from around it and constants. Names of values that come
/// from a function or a branch begin with the first output of the call or the `If`, and `::`.
///
/// Throws bad_graph, naming the node, where a function calls itself, a call has too many inputs or outputs, functions
/// unfold to more than a million nodes, and as `infer_shapes` where there is an `If`.
/// O(nodes after it); inference once for each level of nested conditions.
[[nodiscard]] inline auto flatten(onnx_model model, std::map<std::string, std::int64_t> const& dimensions = {})
    -> onnx_model {
    detail::onnx_function_inliner inliner(model.functions);
    inliner.check(model.graph.nodes);
    inliner.run(model.graph.nodes);
    model.functions.clear();
    detail::constants_to_initializers(model.graph);
    bool more = true;
    while (more && detail::has_branches(model.graph)) {
        detail::known_conditions conditions;
        for (auto const& [name, known] : infer_shapes(model, dimensions))
            if (known.type == onnx_type::boolean && known.integers && known.integers->size() == 1)
                conditions[name] = known.integers->front() != 0;
        more = detail::inline_branches(model.graph, conditions);
    }
    return model;
}

}  // namespace repebble::inline v0::io

#endif
