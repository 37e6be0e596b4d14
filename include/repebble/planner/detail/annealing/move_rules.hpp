#ifndef REPEBBLE_PLANNER_DETAIL_ANNEALING_MOVE_RULES_HPP
#define REPEBBLE_PLANNER_DETAIL_ANNEALING_MOVE_RULES_HPP

// Options of one walk: its temperatures and moves. The memetic search draws these for each child by success rate.

#include <optional>

#include <repebble/graph/dataflow/dataflow.hpp>

namespace repebble::inline v0::detail {

/// Temperatures of a walk; they fall exponentially.
struct temperature_range {
    double hot;   ///< first temperature, in mean times of an operation
    double cold;  ///< last temperature
};

/// Which values the moves of a walk discard and recompute.
struct move_rules {
    /// Recomputing a value may recompute its inputs, recursively, by chance. False: its inputs are kept for it.
    bool with_inputs = true;
    /// An input that is recomputed later anyway may be recomputed earlier instead of twice; by chance, so may the value
    /// itself.
    bool brings_forward = false;
    std::optional<operation_index> tabu{};  ///< tabu: may not run more often than in the start
};

}  // namespace repebble::inline v0::detail

#endif
