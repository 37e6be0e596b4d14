#ifndef REPEBBLE_IO_NETWORK_MIRROR_HPP
#define REPEBBLE_IO_NETWORK_MIRROR_HPP

// Recomputation marks of a network: the field `mirror` of the file's nodes, and the rule by names of Chen et al. 2016.
// Input of the strategies `mirror` and `drop_cheap`.

#include <array>
#include <cstdint>
#include <string_view>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/io/detail/op_names.hpp>
#include <repebble/io/network.hpp>
#include <repebble/io/network_node.hpp>

namespace repebble::inline v0::io {

namespace detail {

/// The node that owns the storage written by an operation of a training graph; null for built gradients.
[[nodiscard]] inline auto owner_of(network const& net, operation_index v) -> network_node const* {
    if (v >= net.nodes().size()) return nullptr;
    auto const& node = net.node(v);
    return node.is_view() ? &net.node(net.storage_owners({v, 0}).front()) : &node;
}

}  // namespace detail

/// The marks of a network's nodes, for a view that of its storage's owner: `mirror(make_training_graph(net),
/// mirror_count_of{&net})` is the plan given by the file, as Chen et al. 2016, section 4.5, lets the user set how often
/// each result is recomputed. 0 for built gradients.
/// Requires: the training graph was made of the network, which outlives this.
struct mirror_count_of {
    network const* net;  ///< whose nodes are asked
    [[nodiscard]] auto operator()(operation_index v) const -> std::uint32_t {
        auto const* const node = detail::owner_of(*net, v);
        return node != nullptr && net->node(v).recomputable ? node->mirror : 0;
    }
};

/// Whether a node is fast to compute and large: batch norm, activations and pooling, those that Chen et al. 2016,
/// section 4.2, drop first. Decided by its name, ignoring case; layer norm, softmax, dropout and losses are not among
/// them.
struct cheap_by_name {
    /// The operations that are cheap, in lower case.
    static constexpr auto names = std::to_array<std::string_view>(
        {"batch_norm", "batchnormalization", "relu", "leaky_relu", "leakyrelu", "gelu", "sigmoid", "silu", "tanh",
         "pool", "max_pool", "average_pool", "adaptive_average_pool", "maxpool", "averagepool", "globalaveragepool",
         "maxpooling2d", "averagepooling2d"});

    [[nodiscard]] auto operator()(network_node const& node) const -> bool { return detail::is_called(node.op, names); }
};

/// `cheap_by_name` on the operations of a network's training graph, for a view on its storage's owner, for
/// `drop_cheap`. False for built gradients.  Requires: the training graph was made of the network, which outlives this.
struct is_cheap_in {
    network const* net;  ///< whose nodes are asked
    [[nodiscard]] auto operator()(operation_index v) const -> bool {
        auto const* const node = detail::owner_of(*net, v);
        return node != nullptr && cheap_by_name{}(*node);
    }
};

}  // namespace repebble::inline v0::io

#endif
