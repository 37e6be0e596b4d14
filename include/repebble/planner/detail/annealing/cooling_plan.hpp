#ifndef REPEBBLE_PLANNER_DETAIL_ANNEALING_COOLING_PLAN_HPP
#define REPEBBLE_PLANNER_DETAIL_ANNEALING_COOLING_PLAN_HPP

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <repebble/planner/detail/annealing/cooling_run.hpp>
#include <repebble/planner/detail/model/effort.hpp>
#include <repebble/planner/detail/model/sequence_loads.hpp>

namespace repebble::inline v0::detail {

/// Cool walks from what may be beyond the budget, if it nearly fits, or else from the best so far; then from the best.
[[nodiscard]] inline auto brief_stages(planning_model const& m, bytes budget, std::vector<operation_index> beyond,
                                       double moves) -> std::vector<annealing_stage> {
    auto const loads = sequence_loads(m, beyond);
    bool const can_walk = moves >= static_cast<double>(m.operation_count() + 1);
    bool const near = can_walk && !loads.empty() && std::ranges::max(loads) - budget / 50 <= budget;
    std::vector<annealing_stage> stages{
        {{{{}, {0.1, 0.02}, effort::brief_first_share}}},
        {{{{}, {0.1, 0.02}, effort::brief_second_share}, {{}, {0.3, 0.02}, effort::brief_second_share}}}};
    if (near) stages.front().front().front().start = std::move(beyond);
    return stages;
}

/// A walk of that share of all moves from each start; every other one brings forward what runs again.
[[nodiscard]] inline auto cool_stage(std::vector<std::vector<operation_index>> starts, double share)
    -> annealing_stage {
    annealing_stage stage;
    for (auto& start : starts)
        stage.push_back({{std::move(start), {0.3, 0.02}, share, {.brings_forward = stage.size() % 2 == 1}}});
    return stage;
}

/// Walks from each start, and some more from the first ones, for so many operations, of so many moves in all.
/// Requires: there is a start.
[[nodiscard]] inline auto first_stage(std::vector<std::vector<operation_index>> starts, std::size_t operations,
                                      double moves) -> annealing_stage {
    auto const given = starts.size();
    for (std::size_t k = 0; starts.size() < effort::first_walks; ++k) starts.push_back(starts[k % given]);
    auto const walks = static_cast<double>(starts.size()), n = static_cast<double>(operations + 1);
    auto const walk = std::min(moves * effort::first_share / walks,
                               std::max(effort::first_walk_per_operation * n, effort::least_first_walk));
    return cool_stage(std::move(starts), walk / moves);
}

/// Two walks from one start, where others are still to come, for so many operations, of so many moves in all.
[[nodiscard]] inline auto early_stage(std::vector<operation_index> const& start, std::size_t operations, double moves)
    -> annealing_stage {
    auto const n = static_cast<double>(operations + 1);
    return cool_stage({start, start}, std::min(effort::early_share, effort::early_walk_per_operation * n / moves));
}

/// Hot walks, which cool down, for so many operations, of so many moves in all: they leave where they begin and end
/// elsewhere, often at what is better, and find something within the budget where others found nothing. Small and tight
/// flows want more heat: every other stage has it.
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
