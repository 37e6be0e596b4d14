#ifndef REPEBBLE_PLANNER_DETAIL_MODEL_SEQUENCE_LOADS_HPP
#define REPEBBLE_PLANNER_DETAIL_MODEL_SEQUENCE_LOADS_HPP

// Cost of a sequence of operations: resident bytes at each step under liveness (each value is discarded after its last
// use before it is recomputed), and total time. Every producer of sequences in the planner is judged by these
// functions; they agree with `replay` of the schedule.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include <repebble/graph/quantity.hpp>
#include <repebble/planner/detail/model/effort.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>

namespace repebble::inline v0::detail {

/// Returns the resident bytes at each step of the sequence, by liveness: a value is discarded right after its last use
/// before it is recomputed, or written over by it.  O(sum of reads and writes).  Requires: each operation comes after
/// producers of its inputs.
[[nodiscard]] inline auto sequence_loads(planning_model const& m, std::span<operation_index const> sequence)
    -> std::vector<bytes> {
    constexpr auto nowhere = std::numeric_limits<std::size_t>::max();
    std::vector<std::size_t> made(m.value_count(), nowhere), last(m.value_count(), 0);
    std::vector<bytes> change(sequence.size() + 1, 0);  // by which resident bytes change from the step before
    std::vector<bytes> spared(m.overwritable.item_count() > 0 ? sequence.size() : 0, 0);  // by writing in place
    auto const end_interval = [&](value_index x) {
        if (made[x] == nowhere || last[x] == made[x]) return;
        if (!spared.empty() && m.sizes[x] > spared[last[x]]) {
            auto const over = m.overwritable[sequence[last[x]]];
            if (std::ranges::find(over, x) != over.end()) spared[last[x]] = m.sizes[x];
        }
        change[made[x] + 1] += m.sizes[x];
        change[last[x] + 1] -= m.sizes[x];
    };
    for (std::size_t k = 0; k < sequence.size(); ++k) {
        for (auto const x : m.reads[sequence[k]]) last[x] = k;
        for (auto const x : m.writes[sequence[k]]) {
            end_interval(x);
            made[x] = last[x] = k;
        }
    }
    for (value_index x = 0; x < m.value_count(); ++x) end_interval(x);
    std::vector<bytes> by_step;
    by_step.reserve(sequence.size());
    bytes resident = 0;
    for (std::size_t k = 0; k < sequence.size(); ++k) {
        resident += change[k];
        by_step.push_back(resident + m.operations[sequence[k]].own - (spared.empty() ? 0 : spared[k]));
    }
    return by_step;
}

/// Searches reject sequences with more steps than this.
[[nodiscard]] inline auto step_limit(planning_model const& m) -> std::size_t {
    return effort::steps_per_operation * m.operation_count() + effort::more_steps;
}

/// Whether the bytes of all values, summed over all steps of a sequence, fit in 64 bits: the annealer sums the excess
/// so.
[[nodiscard]] inline auto can_add_up(planning_model const& m) -> bool {
    auto const all = std::accumulate(m.sizes.begin(), m.sizes.end(), 0.0);
    return all * static_cast<double>(step_limit(m)) < 0x1p62;
}

/// Returns the time of the sequence, or any value above `8 · most_time` where it takes more.
[[nodiscard]] inline auto sequence_time(planning_model const& m, std::span<operation_index const> sequence)
    -> std::int64_t {
    constexpr auto limit = 8 * most_time;
    std::int64_t time = 0;
    for (auto const v : sequence) {
        time += std::min(m.operations[v].time, limit);
        if (time > limit) return time;
    }
    return time;
}

}  // namespace repebble::inline v0::detail

#endif
