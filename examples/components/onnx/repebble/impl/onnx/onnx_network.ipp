#ifndef REPEBBLE_IMPL_ONNX_ONNX_NETWORK_IPP
#define REPEBBLE_IMPL_ONNX_ONNX_NETWORK_IPP

#include <repebble/onnx/onnx_network.hpp>

#include <algorithm>
#include <utility>

#include <repebble/detail/raise.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/io/json_network.hpp>
#include <repebble/onnx/detail/network_builder.hpp>
#include <repebble/onnx/detail/onnx_inference.hpp>
#include <repebble/onnx/detail/onnx_preparation.hpp>
#include <repebble/onnx/onnx_flatten.hpp>
#include <repebble/onnx/onnx_shapes.hpp>
#include <repebble/onnx/parse_onnx.hpp>

namespace repebble::inline v0::io {

REPEBBLE_INLINE auto onnx_network(onnx_model model, onnx_options const& options, std::string name, read_account account)
    -> network {
    detail::open_account(account, model);
    detail::name_free_extents(model.graph, account);
    auto dimensions = options.dimensions;
    auto open = detail::open_extents(model.graph);
    for (auto const& [dimension, extent] : dimensions) {
        if (extent < 1)
            repebble::detail::raise(
                bad_graph("dimension " + dimension + " must be at least 1, not " + std::to_string(extent)));
        if (dimension != "?" && !dimension.ends_with(']') && std::ranges::find(open, dimension) == open.end())
            repebble::detail::raise(
                bad_graph("no input has a dimension " + dimension +
                          (open.empty() ? "; none is open" : "; open are " + detail::listed(open))));
    }
    if (options.batch) {
        auto const names = detail::batch_extents(model.graph);
        if (names.empty()) repebble::detail::raise(bad_graph("no input has a first extent, which would be the batch"));
        for (auto const& dimension : names) dimensions.emplace(dimension, *options.batch);
    }
    std::erase_if(open, [&](auto const& dimension) { return dimensions.contains(dimension); });
    if (options.training) detail::unfold_batch_norms(model.graph);
    auto const flat = flatten(std::move(model), dimensions, account);
    auto const known = infer_shapes(flat, dimensions, account);
    return detail::network_builder(flat, known, options.device, options.training, std::move(open), account)
        .build(std::move(name));
}

REPEBBLE_INLINE auto read_onnx(std::filesystem::path const& path, onnx_options const& options, read_account account)
    -> network {
    auto name = path.filename().string();
    for (std::string const ending : {".gz", ".onnx"})
        if (name.ends_with(ending)) name.resize(name.size() - ending.size());
    auto model = read_onnx_model(path, account);
    return detail::in_the_name_of(path.string(),
                                  [&] { return onnx_network(std::move(model), options, std::move(name), account); });
}

}  // namespace repebble::inline v0::io

#endif
