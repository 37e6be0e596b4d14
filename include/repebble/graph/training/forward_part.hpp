#ifndef REPEBBLE_GRAPH_TRAINING_FORWARD_PART_HPP
#define REPEBBLE_GRAPH_TRAINING_FORWARD_PART_HPP

// The forward pass of a training graph as a dataflow of its own, as for inference.

#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/training/training_graph.hpp>

namespace repebble::inline v0 {

/// A forward pass, and the maps back to the training graph.
struct forward_dataflow {
    dataflow flow;                              ///< the forward pass
    std::vector<operation_index> operations{};  ///< of every operation of `flow`: the same in the training graph
    std::vector<value_index> values{};          ///< of every value of `flow`: the same in the training graph
};

namespace detail {

/// The forward pass of a training graph, without gradients and their reads. Operations keep their order.  O((n + m) log
/// n).
[[nodiscard]] auto forward_part(training_graph const& training) -> forward_dataflow;

}  // namespace detail

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/graph/training/forward_part.ipp>
#endif

#endif
