#ifndef REPEBBLE_GRAPH_TRAINING_TRAINED_PARAMETER_HPP
#define REPEBBLE_GRAPH_TRAINING_TRAINED_PARAMETER_HPP

#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0 {

/// A parameter whose gradient is to be a value: its bytes, and the forward operations that have it.
struct trained_parameter {
    bytes size = 0;
    std::vector<operation_index> users{};

    friend auto operator==(trained_parameter const&, trained_parameter const&) -> bool = default;
};

}  // namespace repebble::inline v0

#endif
