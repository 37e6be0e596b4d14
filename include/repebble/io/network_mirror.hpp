#ifndef REPEBBLE_IO_NETWORK_MIRROR_HPP
#define REPEBBLE_IO_NETWORK_MIRROR_HPP

#include <array>
#include <cstdint>
#include <string_view>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/io/detail/op_names.hpp>
#include <repebble/io/network.hpp>
#include <repebble/io/network_node.hpp>

namespace repebble::inline v0::io {

namespace detail {

/// The node whose storage an operation of a training graph writes; nothing for what is no node: a built gradient.
[[nodiscard]] inline auto owner_of(network const& net, operation_index v) -> network_node const* {
    if (v >= net.nodes().size()) return nullptr;
    auto const& node = net.node(v);
    return node.is_view() ? &net.node(*node.alias_of) : &node;
}

}  // namespace detail

/// The marks of a network's nodes, of a view that of its storage's owner: `mirror(training_graph_of(net),
/// mirror_count_of{&net})` is the plan that the file brings along, as Chen et al. 2016, section 4.5, lets the user say
/// how often each result is computed again. 0 for what is no node: gradients that were built.
/// Requires: the training graph was made of the network, which outlives this.
struct mirror_count_of {
    network const* net;
    [[nodiscard]] auto operator()(operation_index v) const -> std::uint32_t {
        auto const* const node = detail::owner_of(*net, v);
        return node != nullptr && net->node(v).recomputable ? node->mirror : 0;
    }
};

/// Whether a node computes fast what takes much memory: batch norm, activations and pooling, those that Chen et al.
/// 2016, section 4.2, drop first. By its name, in upper or lower case; not so layer norm, softmax, dropout and losses.
struct cheap_by_name {
    static constexpr auto names = std::to_array<std::string_view>(
        {"batch_norm", "batchnormalization", "relu", "leaky_relu", "leakyrelu", "gelu", "sigmoid", "silu", "tanh",
         "pool", "max_pool", "average_pool", "adaptive_average_pool", "maxpool", "averagepool", "globalaveragepool",
         "maxpooling2d", "averagepooling2d"});

    [[nodiscard]] auto operator()(network_node const& node) const -> bool { return detail::is_called(node.op, names); }
};

/// `cheap_by_name` on the operations of a network's training graph, of a view on its storage's owner, for `drop_cheap`.
/// False for what is no node.  Requires: the training graph was made of the network, which outlives this.
struct is_cheap_in {
    network const* net;
    [[nodiscard]] auto operator()(operation_index v) const -> bool {
        auto const* const node = detail::owner_of(*net, v);
        return node != nullptr && cheap_by_name{}(*node);
    }
};

}  // namespace repebble::inline v0::io

#endif
