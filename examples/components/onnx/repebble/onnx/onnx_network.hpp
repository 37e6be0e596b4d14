#ifndef REPEBBLE_ONNX_ONNX_NETWORK_HPP
#define REPEBBLE_ONNX_ONNX_NETWORK_HPP

// ONNX models as networks, for training and for inference: sizes by inference of shapes, times by the roofline, what
// gradients read by a table of operators.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include <repebble/io/network.hpp>
#include <repebble/io/read_account.hpp>
#include <repebble/io/roofline.hpp>
#include <repebble/onnx/onnx_model.hpp>

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
/// open), a value is read before it is made or a dimension is no extent of an input; bad_weight where a sum overflows;
/// limit_reached, naming the node, where the account is spent.
[[nodiscard]] auto onnx_network(onnx_model model, onnx_options const& options = {}, std::string name = {},
                                read_account account = read_account()) -> network;

/// The network in an ONNX file, which may be gzip data, by the name of the file.
/// Throws as `read_onnx_model` and `onnx_network` do; the message begins with the file.
[[nodiscard]] auto read_onnx(std::filesystem::path const& path, onnx_options const& options = {},
                             read_account account = read_account()) -> network;

}  // namespace repebble::inline v0::io

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/onnx/onnx_network.ipp>
#endif

#endif
