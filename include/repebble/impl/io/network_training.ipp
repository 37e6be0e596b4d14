#ifndef REPEBBLE_IMPL_IO_NETWORK_TRAINING_IPP
#define REPEBBLE_IMPL_IO_NETWORK_TRAINING_IPP

#include <repebble/io/network_training.hpp>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/graph/training/make_training_graph.hpp>

namespace repebble::inline v0::io {

REPEBBLE_INLINE auto input_needed_by::operator()(network::vertex v, network::vertex u) const -> bool {
    auto const& node = net->node(v);
    if (!node.bwd_operands) return node.bwd_needs_inputs;
    if (node.bwd_operands->size() == node.reads->size()) return true;
    return std::ranges::any_of(*node.bwd_operands, [&](auto const k) {
        auto const& operand = (*node.reads)[k];
        return operand.outside.empty() && operand.of.vertex == u;
    });
}

namespace detail {

/// Spends for what the gradients of all that a vertex reads read under value_grad: each of them what its own gradient
/// needs.
inline void spend_for_gradients(network const& net, network::vertex v, read_account const& account) {
    auto const& node = net.node(v);
    if (!node.has_gradient) return;
    auto const sources = net.graph().predecessors(v).size();
    auto const operands = node.bwd_operands       ? node.bwd_operands->size()
                          : node.bwd_needs_inputs ? net.operands(v).size()
                                                  : 0;
    auto const outputs = node.bwd_outputs ? node.bwd_outputs->size() : node.bwd_needs_output ? node.output_count() : 0;
    auto const needs = 1 + operands + outputs;
    account.spend(sources * needs, 128 * sources * needs, [&] {
        return node_name(v) + " reads " + std::to_string(sources) + " nodes, and the gradient of each reads " +
               std::to_string(needs) + " values (under op_backward one reads them)";
    });
}

}  // namespace detail

REPEBBLE_INLINE auto output_needed_by::operator()(network::vertex v, std::uint32_t output) const -> bool {
    auto const& node = net->node(v);
    if (node.bwd_outputs) return std::ranges::binary_search(*node.bwd_outputs, output);
    if (node.output_count() == 1) return node.bwd_needs_output;
    bool const norm = node.op == "batch_norm" || node.op == "layer_norm";
    return output > 0 && (node.bwd_needs_output || norm);
}

REPEBBLE_INLINE auto gradient_passes::operator()(network::vertex v, std::uint32_t output) const -> bool {
    auto const& node = net->node(v);
    if (!node.gradient_outputs) return node.has_gradient;
    return std::ranges::binary_search(*node.gradient_outputs, output);
}

REPEBBLE_INLINE auto make_training_graph(network const& net, convention how,
                                         std::vector<trained_parameter> const& parameters, read_account account)
    -> training_graph {
    account.open(net.name().empty() ? "the graph" : net.name(), net.nodes().size() + net.edges().size());
    if (how == convention::value_grad && !net.is_joint())
        for (network::vertex v = 0; v < net.nodes().size(); ++v) detail::spend_for_gradients(net, v, account);
    if (!net.is_joint())
        return repebble::make_training_graph(net, net.weights(), detail::dependencies_of(net), how, parameters);
    std::vector<pass> passes;
    for (auto const& node : net.nodes()) passes.push_back(node.phase);
    return repebble::make_training_graph(make_dataflow(net, net.weights()), passes);
}

REPEBBLE_INLINE auto make_forward_dataflow(network const& net) -> forward_dataflow {
    if (net.is_joint()) return repebble::detail::forward_part(make_training_graph(net));
    forward_dataflow all{.flow = make_dataflow(net, net.weights())};
    for (operation_index v = 0; v < all.flow.operation_count(); ++v) all.operations.push_back(v);
    return all;
}

}  // namespace repebble::inline v0::io

#endif
