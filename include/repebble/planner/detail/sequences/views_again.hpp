#ifndef REPEBBLE_PLANNER_DETAIL_SEQUENCES_VIEWS_AGAIN_HPP
#define REPEBBLE_PLANNER_DETAIL_SEQUENCES_VIEWS_AGAIN_HPP

// Views that no operation takes in (`contract_views`), made again with the storages that they lie in. The model counts
// such a view as a value of no bytes that stays; in truth the one that is resident keeps its storage alive. Used where
// the schedule of a sequence needs more than its model says.

#include <span>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>

namespace repebble::inline v0::detail {

/// Returns the sequence of the model `m` of `flow` with a run of each view after each further run of an owner of its
/// storages in it, if the view has run and may run again: the view of the old storage then ends, and the storage with
/// it.
/// O(steps · views of each operation).
[[nodiscard]] auto with_views_again(dataflow const& flow, planning_model const& m,
                                    std::span<operation_index const> sequence) -> std::vector<operation_index>;

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/sequences/views_again.ipp>
#endif

#endif
