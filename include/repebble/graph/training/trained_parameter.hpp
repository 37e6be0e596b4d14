#ifndef REPEBBLE_GRAPH_TRAINING_TRAINED_PARAMETER_HPP
#define REPEBBLE_GRAPH_TRAINING_TRAINED_PARAMETER_HPP

// The description of a parameter whose gradient is planned as a value.

#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0 {

/// A parameter whose gradient is a value of the training graph: its bytes, and the forward operations that use it.
struct trained_parameter {
    bytes size = 0;
    std::vector<operation_index> users{};  ///< indices of the forward operations that read it

    friend auto operator==(trained_parameter const&, trained_parameter const&) -> bool = default;
};

}  // namespace repebble::inline v0

#endif
