#ifndef REPEBBLE_PLANNER_DETAIL_ANNEALING_SHIFT_MOVE_HPP
#define REPEBBLE_PLANNER_DETAIL_ANNEALING_SHIFT_MOVE_HPP

// Legality and limits of the shift move: where a step may be moved so that no other step changes the computation that
// it reads.

#include <repebble/planner/detail/model/planning_model.hpp>
#include <repebble/planner/detail/sequences/mutable_sequence.hpp>

namespace repebble::inline v0::detail {

/// Whether step i may be moved before step `to` without a change of the computation that any other step reads.  O(uses
/// of its inputs and outputs).
[[nodiscard]] auto may_shift(planning_model const& m, mutable_sequence const& s, mutable_sequence::step_id i,
                             mutable_sequence::step_id to) -> bool;

/// Returns the first reader of the outputs of step i; none where no step reads them.
[[nodiscard]] auto first_reader(planning_model const& m, mutable_sequence const& s, mutable_sequence::step_id i)
    -> mutable_sequence::step_id;

/// Returns the last step that computes an input of step i; none where it has no inputs.
[[nodiscard]] auto last_source(planning_model const& m, mutable_sequence const& s, mutable_sequence::step_id i)
    -> mutable_sequence::step_id;

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/annealing/shift_move.ipp>
#endif

#endif
