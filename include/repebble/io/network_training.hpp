#ifndef REPEBBLE_IO_NETWORK_TRAINING_HPP
#define REPEBBLE_IO_NETWORK_TRAINING_HPP

// Training graphs of networks, by the flags of their files or from their own backward pass.

#include <algorithm>
#include <cstdint>
#include <vector>

#include <repebble/graph/training/forward_part.hpp>
#include <repebble/graph/training/gradient_needs.hpp>
#include <repebble/graph/training/trained_parameter.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/io/network.hpp>
#include <repebble/io/read_account.hpp>

namespace repebble::inline v0::io {

/// The needs of a network's gradients by the fields of the file: the operands and outputs that it lists; else all
/// inputs where `bwd_needs_inputs`; where `bwd_needs_output`, the output, or of several outputs all but the first
/// (statistics, indices, masks), which batch norm and layer norm always need.
struct input_needed_by {
    network const* net;  ///< whose nodes are asked
    /// Whether the gradient of v reads any of what v reads from u.  O(operands of v).
    [[nodiscard]] auto operator()(network::vertex v, network::vertex u) const -> bool;
};
/// Whether the gradient of a node reads an output of it.
struct output_needed_by {
    network const* net;  ///< whose nodes are asked
    [[nodiscard]] auto operator()(network::vertex v, std::uint32_t output) const -> bool;
};
/// Whether an output of a node has a gradient.
struct gradient_passes {
    network const* net;  ///< whose nodes are asked
    [[nodiscard]] auto operator()(network::vertex v, std::uint32_t output) const -> bool;
};

using network_dependencies = gradient_dependencies<input_needed_by, output_needed_by, gradient_passes>;

namespace detail {

/// Requires: the network outlives them.
[[nodiscard]] inline auto dependencies_of(network const& net) -> network_dependencies {
    return {{&net}, {&net}, {&net}};
}
auto dependencies_of(network const&&) -> network_dependencies = delete;

}  // namespace detail

/// The training graph of a network: as it is where the file has its backward pass (then the other arguments are
/// ignored), else built with the gradients that the file's flags declare, and those of `parameters` as values.
/// O((n + m) log n), with n and m of the training graph: see make_training_graph for how large that is.
/// Throws as make_training_graph does; limit_reached where the account is spent, as by an operation that reads n values
/// and whose gradients, n of them under value_grad, read all of these.
[[nodiscard]] auto make_training_graph(network const& net, convention how = convention::value_grad,
                                       std::vector<trained_parameter> const& parameters = {},
                                       read_account account = read_account()) -> training_graph;

/// The forward graph of a network as it is; of a file with a backward pass, its forward part.  O((n + m) log n).
/// Throws as make_training_graph does.
[[nodiscard]] auto make_forward_dataflow(network const& net) -> forward_dataflow;

}  // namespace repebble::inline v0::io

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/io/network_training.ipp>
#endif

#endif
