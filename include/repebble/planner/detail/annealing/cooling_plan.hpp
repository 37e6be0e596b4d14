#ifndef REPEBBLE_PLANNER_DETAIL_ANNEALING_COOLING_PLAN_HPP
#define REPEBBLE_PLANNER_DETAIL_ANNEALING_COOLING_PLAN_HPP

// The stages of the annealing: which walks run beside one another, from which starts, at which temperatures, with which
// shares of all moves (`model/effort.hpp`). `annealing_search` and the memetic search run them.

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <repebble/planner/detail/annealing/cooling_run.hpp>
#include <repebble/planner/detail/model/effort.hpp>
#include <repebble/planner/detail/model/sequence_loads.hpp>

namespace repebble::inline v0::detail {

/// Two stages for few moves: cool walks from `beyond`, which may exceed the budget, if it nearly fits, or else from the
/// best so far; then two walks from the best, or one from `other`, unless that is empty.
[[nodiscard]] inline auto brief_stages(planning_model const& m, bytes budget, std::vector<operation_index> beyond,
                                       std::vector<operation_index> other, double moves)
    -> std::vector<annealing_stage> {
    auto const loads = sequence_loads(m, beyond);
    bool const can_walk = moves >= static_cast<double>(m.operation_count() + 1);
    bool const near = can_walk && !loads.empty() && std::ranges::max(loads) - budget / 50 <= budget;
    std::vector<annealing_stage> stages{
        {{{{}, {0.1, 0.02}, effort::brief_first_share}}},
        {{{{}, {0.1, 0.02}, effort::brief_second_share}, {{}, {0.3, 0.02}, effort::brief_second_share}}}};
    if (near) stages.front().front().front().start = std::move(beyond);
    if (can_walk && !other.empty()) stages.back() = {{{std::move(other), {0.1, 0.02}, 2 * effort::brief_second_share}}};
    return stages;
}

/// Returns one cool walk from each start, each with that share of all moves; every other one brings recomputations
/// forward.
[[nodiscard]] inline auto cool_stage(std::vector<std::vector<operation_index>> starts, double share)
    -> annealing_stage {
    annealing_stage stage;
    for (auto& start : starts)
        stage.push_back({{std::move(start), {0.3, 0.02}, share, {.brings_forward = stage.size() % 2 == 1}}});
    return stage;
}

/// Returns the first stage for so many operations and moves in all: a walk from each start, and more from the first
/// ones up to `effort::first_walks`.  Requires: a start.
[[nodiscard]] inline auto first_stage(std::vector<std::vector<operation_index>> starts, std::size_t operations,
                                      double moves) -> annealing_stage {
    auto const given = starts.size();
    for (std::size_t k = 0; starts.size() < effort::first_walks; ++k) starts.push_back(starts[k % given]);
    auto const walks = static_cast<double>(starts.size()), n = static_cast<double>(operations + 1);
    auto const walk = std::min(moves * effort::first_share / walks,
                               std::max(effort::first_walk_per_operation * n, effort::least_first_walk));
    return cool_stage(std::move(starts), walk / moves);
}

/// Returns two cool walks from one start, used while other starts are still computed, for so many operations and moves
/// in all.
[[nodiscard]] inline auto early_stage(std::vector<operation_index> const& start, std::size_t operations, double moves)
    -> annealing_stage {
    auto const n = static_cast<double>(operations + 1);
    return cool_stage({start, start}, std::min(effort::early_share, effort::early_walk_per_operation * n / moves));
}

/// Returns hot walks, which cool down, for so many operations and moves in all: a restart that ends far from its start,
/// and finds sequences within the budget where cool walks find none. Small graphs with tight budgets need more heat:
/// every other stage is hotter.
[[nodiscard]] inline auto hot_stage(std::size_t operations, double moves, bool hotter) -> annealing_stage {
    auto const n = static_cast<double>(operations + 1);
    auto const share = std::clamp(effort::hot_share, effort::least_hot_per_operation * n / moves,
                                  effort::most_hot_per_operation * n / moves);
    annealing_stage stage;
    for (double const hot : {hotter ? 10.0 : 3.0, hotter ? 1.0 : 0.5})
        stage.push_back({{{}, {hot, 0.02}, share, {}, true}});
    return stage;
}

}  // namespace repebble::inline v0::detail

#endif
