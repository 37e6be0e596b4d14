#ifndef REPEBBLE_PLANNER_DETAIL_ANNEALING_COOLING_PLAN_HPP
#define REPEBBLE_PLANNER_DETAIL_ANNEALING_COOLING_PLAN_HPP

// The stages of the annealing: which walks run beside one another, from which starts, at which temperatures, with which
// shares of all moves (`effort`). `annealing_search` and the memetic search run them.

#include <algorithm>
#include <cstddef>
#include <vector>

#include <repebble/planner/detail/annealing/parallel_walks.hpp>

namespace repebble::inline v0::detail {

/// Two stages for few moves: cool walks from `beyond`, which may exceed the budget, if it nearly fits, or else from the
/// best so far; then two walks from the best, or one from `other`, unless that is empty.
[[nodiscard]] auto brief_stages(planning_model const& m, bytes budget, std::vector<operation_index> beyond,
                                std::vector<operation_index> other, double moves) -> std::vector<annealing_stage>;

/// Returns one cool walk from each start, each with that share of all moves; every other one brings recomputations
/// forward.
[[nodiscard]] auto cool_stage(planning_model const& m, std::vector<std::vector<operation_index>> starts, double share)
    -> annealing_stage;

/// Returns the first stage for so many moves in all: a walk from each start, and more from the first
/// ones up to `effort.first_walks`.  Requires: a start.
[[nodiscard]] auto first_stage(planning_model const& m, std::vector<std::vector<operation_index>> starts, double moves)
    -> annealing_stage;

/// Returns two cool walks from one start, used while other starts are still computed, for so many moves in all.
[[nodiscard]] inline auto early_stage(planning_model const& m, std::vector<operation_index> const& start, double moves)
    -> annealing_stage {
    auto const n = static_cast<double>(m.operation_count() + 1);
    auto const share = std::min(m.effort.early_share, m.effort.early_walk_per_operation * n / moves);
    return cool_stage(m, {start, start}, share);
}

/// Returns hot walks, which cool down, for so many moves in all: a restart that ends far from its start,
/// and finds sequences within the budget where cool walks find none. Small graphs with tight budgets need more heat:
/// every other stage is hotter.
[[nodiscard]] auto hot_stage(planning_model const& m, double moves, bool hotter) -> annealing_stage;

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/annealing/cooling_plan.ipp>
#endif

#endif
