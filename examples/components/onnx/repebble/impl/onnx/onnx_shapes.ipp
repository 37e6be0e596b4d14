#ifndef REPEBBLE_IMPL_ONNX_ONNX_SHAPES_IPP
#define REPEBBLE_IMPL_ONNX_ONNX_SHAPES_IPP

#include <repebble/onnx/onnx_shapes.hpp>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/onnx/detail/onnx_inference.hpp>

namespace repebble::inline v0::io {

REPEBBLE_INLINE auto infer_shapes(onnx_model const& model, std::map<std::string, std::int64_t> const& dimensions,
                                  read_account account) -> std::map<std::string, onnx_known> {
    detail::open_account(account, model);
    return detail::onnx_inference(model, dimensions, account).run(model.graph);
}

}  // namespace repebble::inline v0::io

#endif
