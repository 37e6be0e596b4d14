#ifndef REPEBBLE_IMPL_PLANNER_STARTS_WINDOWS_START_IPP
#define REPEBBLE_IMPL_PLANNER_STARTS_WINDOWS_START_IPP

#include <repebble/planner/detail/starts/windows_start.hpp>

#include <algorithm>
#include <utility>

#include <repebble/detail/jagged_array.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/planner/detail/model/sequence_loads.hpp>
#include <repebble/planner/detail/sequences/demand_driven.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto sequence_of_windows(planning_model const& m, std::vector<std::uint32_t> const& dropped,
                                         std::size_t limit) -> std::optional<std::vector<operation_index>> {
    std::vector<std::uint32_t> last(m.value_count(), windows_choice::never);  // use before the cut, by position
    for (std::uint32_t at = 0; at < m.order.size(); ++at) {
        auto const note = [&](value_index x) {
            if (dropped[x] != windows_choice::never && at < dropped[x]) last[x] = at;
        };
        std::ranges::for_each(m.writes[m.order[at]], note);
        std::ranges::for_each(m.reads[m.order[at]], note);
    }
    std::vector<std::pair<std::uint32_t, value_index>> ends;
    for (value_index x = 0; x < m.value_count(); ++x)
        if (last[x] != windows_choice::never) ends.emplace_back(last[x], x);
    jagged_array<value_index> const discarded(m.order.size(), ends);
    demand_driven made(m);
    for (std::size_t at = 0; at < m.order.size(); ++at) {
        if (!made.ran()[m.order[at]] && !made.run_with_inputs(m.order[at], limit, [](operation_index) {}))
            return std::nullopt;
        for (auto const x : discarded[at]) made.set_resident(x, false);
    }
    return made.operations();
}

REPEBBLE_INLINE auto start_by_windows(planning_model const& m, planning_model const& relaxed, bytes budget,
                                      std::size_t limit, stop_test stop) -> windows_start {
    windows_start made;
    auto const windows = windows_of_load(relaxed, m.effort.window_share);
    if (windows.size() < 2) return made;
    std::vector<cut_window> last;
    if (auto const window = last_window_of_load(relaxed, m.effort.window_share)) last.push_back(*window);
    auto within = budget;
    for (std::size_t k = 0; k < m.effort.window_attempts && (k == 0 || !stop()); ++k) {
        auto chosen = choose_in_windows(relaxed, within, windows, stop);
        if (k == 0) made.bound = chosen.bound;
        if (!chosen.is_whole) break;
        auto const rest = choose_in_windows(relaxed, within, last, stop);
        for (value_index x = 0; x < m.value_count(); ++x)
            chosen.dropped[x] = std::min(chosen.dropped[x], rest.dropped[x]);
        auto sequence = sequence_of_windows(m, chosen.dropped, limit);
        if (!sequence) break;
        auto const loads = sequence_loads(m, *sequence);
        auto const most = std::ranges::max(loads);
        if (most <= budget) {
            made.sequence = std::move(sequence);
            break;
        }
        auto const step = std::min(m.effort.window_step, static_cast<double>(budget) / static_cast<double>(most));
        within = static_cast<bytes>(step * static_cast<double>(within));
    }
    return made;
}

}  // namespace repebble::inline v0::detail

#endif
