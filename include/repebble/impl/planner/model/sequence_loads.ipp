#ifndef REPEBBLE_IMPL_PLANNER_MODEL_SEQUENCE_LOADS_IPP
#define REPEBBLE_IMPL_PLANNER_MODEL_SEQUENCE_LOADS_IPP

#include <repebble/planner/detail/model/sequence_loads.hpp>

#include <algorithm>
#include <limits>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto sequence_loads(planning_model const& m, std::span<operation_index const> sequence)
    -> std::vector<bytes> {
    constexpr auto nowhere = std::numeric_limits<std::size_t>::max();
    std::vector<std::size_t> made(m.value_count(), nowhere), last(m.value_count(), 0);
    std::vector<bytes> change(sequence.size() + 1, 0);  // by which resident bytes change from the step before
    std::vector<bytes> spared(m.overwritable.item_count() > 0 ? sequence.size() : 0, 0);  // by writing in place
    bool const mutates = m.ended.item_count() > 0;
    std::vector<std::size_t> ended(mutates ? m.value_count() : 0, 0);  // by value: the last step that overwrote it
    std::vector<bytes> illegal(mutates ? sequence.size() : 0, 0);
    auto const end_interval = [&](value_index x) {
        if (made[x] == nowhere || last[x] == made[x]) return;
        if (mutates && ended[x] > made[x] && ended[x] < last[x]) illegal[ended[x]] += m.illegal;
        if (!spared.empty() && m.sizes[x] > spared[last[x]]) {
            auto const over = m.overwritable[sequence[last[x]]];
            if (std::ranges::find(over, x) != over.end()) spared[last[x]] = m.sizes[x];
        }
        change[made[x] + 1] += m.sizes[x];
        change[last[x] + 1] -= m.sizes[x];
    };
    for (std::size_t k = 0; k < sequence.size(); ++k) {
        for (auto const x : m.reads[sequence[k]]) last[x] = k;
        if (mutates)
            for (auto const x : m.ended[sequence[k]]) {
                if (ended[x] > made[x]) illegal[ended[x]] += m.illegal;
                ended[x] = k;
            }
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
        by_step.push_back(resident + m.operations[sequence[k]].own - (spared.empty() ? 0 : spared[k]) +
                          (mutates ? illegal[k] : 0));
    }
    return by_step;
}

REPEBBLE_INLINE auto sequence_time(planning_model const& m, std::span<operation_index const> sequence)
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
