#ifndef REPEBBLE_IMPL_ONNX_ONNX_FLATTEN_IPP
#define REPEBBLE_IMPL_ONNX_ONNX_FLATTEN_IPP

#include <repebble/onnx/onnx_flatten.hpp>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/onnx/detail/onnx_inline.hpp>
#include <repebble/onnx/onnx_shapes.hpp>

namespace repebble::inline v0::io {

REPEBBLE_INLINE auto flatten(onnx_model model, std::map<std::string, std::int64_t> const& dimensions,
                             read_account account) -> onnx_model {
    detail::open_account(account, model);
    detail::onnx_value_names names(account);
    names.add(model.graph);
    detail::onnx_function_inliner inliner(model.functions, names, account);
    inliner.check(model.graph.nodes);
    inliner.run(model.graph.nodes);
    model.functions.clear();
    detail::constants_to_initializers(model.graph);
    bool more = true;
    while (more && detail::has_branches(model.graph)) {
        detail::known_conditions conditions;
        for (auto const& [name, known] : infer_shapes(model, dimensions, account))
            if (known.type == onnx_type::boolean && known.integers && known.integers->size() == 1)
                conditions[name] = known.integers->front() != 0;
        more = detail::inline_branches(model.graph, conditions, names, account);
    }
    return model;
}

}  // namespace repebble::inline v0::io

#endif
