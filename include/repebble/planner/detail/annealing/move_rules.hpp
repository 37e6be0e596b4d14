#ifndef REPEBBLE_PLANNER_DETAIL_ANNEALING_MOVE_RULES_HPP
#define REPEBBLE_PLANNER_DETAIL_ANNEALING_MOVE_RULES_HPP

#include <optional>

#include <repebble/graph/dataflow/dataflow.hpp>

namespace repebble::inline v0::detail {

/// What moves over sequences let go of, to compute it again.
struct move_rules {
    /// With a value, by chance, also what it is computed from, and so on. False: all of that is held for it.
    bool with_inputs = true;
    /// What it is computed from, and runs again later anyway, runs again for it already, and not later, where it may;
    /// by chance, so does what computes the value itself.
    bool brings_forward = false;
    std::optional<operation_index> tabu{};  ///< does not run more often than in the beginning
};

}  // namespace repebble::inline v0::detail

#endif
