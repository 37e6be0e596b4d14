#ifndef KUSUMOTO_CHAINER_HPP
#define KUSUMOTO_CHAINER_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include <repebble/graph/quantity.hpp>
#include <repebble/io/network.hpp>

// What gradients read in Chainer, which the authors measured.
namespace repebble::kusumoto {

inline auto is_one_of(std::string_view op, std::initializer_list<std::string_view> ops) -> bool {
    return std::ranges::find(ops, op) != ops.end();
}

/// The published program recomputes for a gradient every input of its function, unless that is a ReLU, and the outputs
/// that the function retains.
struct declared_inputs {
    io::network const* net;
    auto operator()(io::network::vertex v) const -> bool { return net->node(v).op != "ReLU"; }
};
/// What Chainer retains when nothing is recomputed.
struct retained_inputs {
    io::network const* net;
    auto operator()(io::network::vertex v) const -> bool {
        return !is_one_of(net->node(v).op,
                          {"ReLU", "Add", "MulConstant", "Concat", "GetItem", "Reshape", "ResizeImages", "Dropout"});
    }
};
struct retained_outputs {
    io::network const* net;
    auto operator()(io::network::vertex v) const -> bool {
        return is_one_of(net->node(v).op, {"ReLU", "MaxPooling2D", "AveragePooling2D", "LocalResponseNormalization"});
    }
};

/// Bytes that Chainer's functions hold beside their retained values: scales of local response normalisation, masks of
/// dropout, probabilities of the softmax. The published runs never drop a function, so that all of that stays, and so
/// does the output of local response normalisation, which the function refers to.
inline auto function_states(io::network const& net, bool recomputing) -> bytes {
    bytes sum = 0;
    for (std::size_t v = 0; v < net.nodes().size(); ++v) {
        auto const& node = net.node(v);
        if (node.op == "LocalResponseNormalization") sum += (recomputing ? 2 : 1) * node.memory;
        if (node.op == "Dropout") sum += node.memory;
        if (node.op == "SoftmaxCrossEntropy")
            for (auto const u : net.graph().predecessors(static_cast<std::uint32_t>(v))) sum += net.node(u).memory;
    }
    return sum;
}

/// Bytes of the gradient of every node's output. An addition hands its gradient on as it is: what only one addition reads
/// has no gradient of its own.
inline auto gradient_sizes(io::network const& net) -> std::vector<bytes> {
    std::vector<bytes> sizes;
    for (std::uint32_t v = 0; v < net.nodes().size(); ++v) {
        auto const readers = net.graph().successors(v);
        bool const handed_on = readers.size() == 1 && net.node(readers.front()).op == "Add";
        sizes.push_back(handed_on ? 0 : net.node(v).memory);
    }
    return sizes;
}

}  // namespace repebble::kusumoto

#endif
