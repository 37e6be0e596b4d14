#ifndef REPEBBLE_PLANNER_DETAIL_SEQUENCES_CROSSOVER_HPP
#define REPEBBLE_PLANNER_DETAIL_SEQUENCES_CROSSOVER_HPP

// Crossover of two sequences of operations, for the memetic search: the child keeps the first runs of one parent and
// takes its recomputations from either. Invariant: every step of the child comes after producers of its inputs.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <span>
#include <vector>

#include <repebble/detail/places_in.hpp>
#include <repebble/detail/sort_by.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>

namespace repebble::inline v0::detail {

/// Returns the crossover of two sequences: first runs in the order of `one`; before each first run the recomputations
/// that `one` has there, except of operations v with from_other(v), of which it takes those of `other`, if they ran by
/// then. Every step comes after producers of its inputs; the budget is not looked at.  O(k log k) for k steps.
/// Requires: in each sequence every step comes after producers of its inputs.
template <std::predicate<operation_index> FromOther>
[[nodiscard]] auto crossover(planning_model const& m, std::span<operation_index const> one,
                             std::span<operation_index const> other, FromOther&& from_other)
    -> std::vector<operation_index> {
    auto const n = m.operation_count();
    std::vector<std::vector<operation_index>> repeats(
        n + 1);  // recomputations before each first run; the last entry: after all first runs
    auto const note = [&](std::span<operation_index const> parent, bool is_other) {
        std::vector<bool> ran(n, false);
        std::vector<operation_index> since;  // since the last first run
        for (auto const v : parent) {
            if (ran[v]) {
                if (from_other(v) == is_other) since.push_back(v);
                continue;
            }
            ran[v] = true;
            repeats[v].insert(repeats[v].end(), since.begin(), since.end());
            since.clear();
        }
        repeats[n].insert(repeats[n].end(), since.begin(), since.end());
    };
    note(one, false);
    note(other, true);

    auto const positions = places_in(m.order, m.operation_count());
    std::vector<operation_index> crossed;
    std::vector<bool> ran(n, false);
    auto const run_repeats = [&](std::vector<operation_index>& group) {
        sort_numbers(group, [&](operation_index a, operation_index b) { return positions[a] < positions[b]; });
        auto const same = std::ranges::unique(group);
        group.erase(same.begin(), same.end());
        for (auto const v : group)
            if (ran[v]) crossed.push_back(v);
    };
    for (auto const v : one) {
        if (ran[v]) continue;
        run_repeats(repeats[v]);
        ran[v] = true;
        crossed.push_back(v);
    }
    run_repeats(repeats[n]);
    return crossed;
}

}  // namespace repebble::inline v0::detail

#endif
