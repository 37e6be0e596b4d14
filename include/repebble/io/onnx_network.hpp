#ifndef REPEBBLE_IO_ONNX_NETWORK_HPP
#define REPEBBLE_IO_ONNX_NETWORK_HPP

// ONNX models as networks, for training and for inference: sizes by inference of shapes, times by the roofline, what
// gradients read by a table of operators.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <repebble/detail/raise.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/io/json_network.hpp>
#include <repebble/io/network.hpp>
#include <repebble/io/onnx/detail/element_size.hpp>
#include <repebble/io/onnx/detail/network_builder.hpp>
#include <repebble/io/onnx/detail/onnx_preparation.hpp>
#include <repebble/io/onnx/onnx_flatten.hpp>
#include <repebble/io/onnx/onnx_model.hpp>
#include <repebble/io/onnx/onnx_shapes.hpp>
#include <repebble/io/onnx/parse_onnx.hpp>
#include <repebble/io/roofline.hpp>

namespace repebble::inline v0::io {

/// How an ONNX model becomes a network.
struct onnx_options {
    /// Extents that the file leaves open, by name; or any of a value by its axis, as `images[0]`: of an input also
    /// where the file has a number, of another value where it depends on the data; `?` stands for all others that do.
    std::map<std::string, std::int64_t> dimensions{};
    /// The first extent of each input, where it is open and not given above; where none is, that of the first input,
    /// and of others with the same number.
    std::optional<std::int64_t> batch{};
    roofline device{};  ///< gives the times
    /// Whether the network is to be trained: nodes have what their gradients read (statistics, indices, masks),
    /// dropouts and batch norms work as in training, and batch norms that an exporter has folded into convolutions are
    /// back.
    bool training = true;
};

/// The network of an ONNX model: a node for each operation that runs in every run, under its name (or operator and
/// number), its operands in order. Reshape, Flatten, Squeeze, Unsqueeze, Identity, casts to the same type and, without
/// training, Dropout are views; what depends on initializers and shapes only is no node: its initializers are counted
/// with the parameters, which lie in memory whatever the schedule, and what is made of them is not. A node that draws
/// numbers is one, whatever it reads. Inputs of the model are no nodes; its results are results, except for inputs,
/// initializers and what is made of these alone: they are outputs of no node, and no gradient begins there.
/// Floating-point initializers of more than one element, also those that graphs inside of nodes read, are trained where
/// a gradient arrives at them, through constants made of them too; where there are none, constants; without these, the
/// gradient goes to the model's floating-point inputs. It begins at the floating-point results. Of an If, a Loop or a
/// Scan, one output with a gradient stands for all.
/// Shapes, types, FLOPs (2 per multiply-add of convolutions, matrix products, recurrent layers and attention), bytes
/// moved and parameters are in `extra`, as those of networks by name. An operation takes its FLOPs or its traffic by
/// the roofline. Operators that are not known need a declared shape; then their gradients read all they read and write.
/// O(n log n) for n values, without the inference of shapes.
/// Throws bad_graph, naming value, node and operator, where a size is not known (with the names of extents that are
/// open), a value is read before it is made or a dimension is no extent of an input; bad_weight where a sum overflows.
[[nodiscard]] inline auto onnx_network(onnx_model model, onnx_options const& options = {}, std::string name = {})
    -> network {
    detail::name_free_extents(model.graph);
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
    auto const flat = flatten(std::move(model), dimensions);
    auto const known = infer_shapes(flat, dimensions);
    return detail::network_builder(flat, known, options.device, options.training, std::move(open))
        .build(std::move(name));
}

/// The network in an ONNX file, which may be gzip data, by the name of the file.
/// Throws as `read_onnx_model` and `onnx_network` do; the message begins with the file.
[[nodiscard]] inline auto read_onnx(std::filesystem::path const& path, onnx_options const& options = {}) -> network {
    auto name = path.filename().string();
    for (std::string const ending : {".gz", ".onnx"})
        if (name.ends_with(ending)) name.resize(name.size() - ending.size());
    auto model = read_onnx_model(path);
    return detail::in_the_name_of(path.string(),
                                  [&] { return onnx_network(std::move(model), options, std::move(name)); });
}

}  // namespace repebble::inline v0::io

#endif
