#ifndef REPEBBLE_PLANNER_DETAIL_MODEL_SEQUENCE_LOADS_HPP
#define REPEBBLE_PLANNER_DETAIL_MODEL_SEQUENCE_LOADS_HPP

// Cost of a sequence of operations: resident bytes at each step under liveness (each value is discarded after its last
// use before it is recomputed), and total time. Every producer of sequences in the planner is judged by these
// functions; they agree with `replay` of the schedule.

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include <repebble/graph/quantity.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>

namespace repebble::inline v0::detail {

/// Returns the resident bytes at each step of the sequence, by liveness: a value is discarded right after its last use
/// before it is recomputed, or written over by it. A step that overwrites the storage of a value which is read later
/// has `illegal` bytes more: no schedule can be such.  O(sum of reads and writes).  Requires: each operation comes
/// after producers of its inputs.
[[nodiscard]] auto sequence_loads(planning_model const& m, std::span<operation_index const> sequence)
    -> std::vector<bytes>;

/// Searches reject sequences with more steps than this.
[[nodiscard]] inline auto step_limit(planning_model const& m) -> std::size_t {
    return m.effort.steps_per_operation * m.operation_count() + m.effort.more_steps;
}

/// Whether the bytes of all values, and those of illegal steps, summed over all steps of a sequence, fit in 64 bits:
/// the annealer sums the excess so.
[[nodiscard]] inline auto can_add_up(planning_model const& m) -> bool {
    auto const most = m.ended.item_count() > 0 ? 2.0 * static_cast<double>(m.illegal)
                                               : std::accumulate(m.sizes.begin(), m.sizes.end(), 0.0);
    return most * static_cast<double>(step_limit(m)) < 0x1p62;
}

/// Returns the time of the sequence, or any value above `8 · most_time` where it takes more.
[[nodiscard]] auto sequence_time(planning_model const& m, std::span<operation_index const> sequence) -> std::int64_t;

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/model/sequence_loads.ipp>
#endif

#endif
