#ifndef REPEBBLE_PLANNER_DETAIL_ANNEALING_COOLING_PLAN_HPP
#define REPEBBLE_PLANNER_DETAIL_ANNEALING_COOLING_PLAN_HPP

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <repebble/planner/detail/annealing/cooling_run.hpp>
#include <repebble/planner/detail/model/sequence_loads.hpp>

namespace repebble::inline v0::detail {

/// Where moves are few, for so many operations: what little there is goes into cool walks.
[[nodiscard]] inline auto is_brief(std::size_t operations, double moves) -> bool {
    return moves < 200 * static_cast<double>(operations + 1);
}

/// Cool walks from what may be beyond the budget, if it nearly fits, or else from the best so far; then from the best.
[[nodiscard]] inline auto brief_stages(planning_model const& m, bytes budget, std::vector<operation_index> beyond,
                                       double moves) -> std::vector<annealing_stage> {
    auto const loads = sequence_loads(m, beyond);
    bool const can_walk = moves >= static_cast<double>(m.operation_count() + 1);
    bool const near = can_walk && !loads.empty() && std::ranges::max(loads) - budget / 50 <= budget;
    std::vector<annealing_stage> stages{{{{{}, {0.1, 0.02}, 0.5}}},
                                        {{{{}, {0.1, 0.02}, 0.25}, {{}, {0.3, 0.02}, 0.25}}}};
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
    constexpr std::size_t fewest_walks = 6;
    constexpr double most_share = 0.3, most_moves = 90, least_moves = 10'000;  // most_moves: for each operation
    auto const given = starts.size();
    for (std::size_t k = 0; starts.size() < fewest_walks; ++k) starts.push_back(starts[k % given]);
    auto const walks = static_cast<double>(starts.size()), n = static_cast<double>(operations + 1);
    auto const walk = std::min(moves * most_share / walks, std::max(most_moves * n, least_moves));
    return cool_stage(std::move(starts), walk / moves);
}

/// Two walks from one start, where others are still to come, for so many operations, of so many moves in all.
[[nodiscard]] inline auto early_stage(std::vector<operation_index> const& start, std::size_t operations, double moves)
    -> annealing_stage {
    constexpr double most_share = 0.25, most_moves = 90;  // most_moves: for each operation
    auto const n = static_cast<double>(operations + 1);
    return cool_stage({start, start}, std::min(most_share, most_moves * n / moves));
}

/// Hot walks, which cool down, for so many operations, of so many moves in all: they leave where they begin and end
/// elsewhere, often at what is better, and find something within the budget where others found nothing. Small and tight
/// flows want more heat: every other stage has it.
[[nodiscard]] inline auto hot_stage(std::size_t operations, double moves, bool hotter) -> annealing_stage {
    constexpr double usual = 0.15, least = 750, most = 3000;  // share of all moves; moves for each operation
    auto const n = static_cast<double>(operations + 1);
    auto const share = std::clamp(usual, least * n / moves, most * n / moves);
    annealing_stage stage;
    for (double const hot : {hotter ? 10.0 : 3.0, hotter ? 1.0 : 0.5})
        stage.push_back({{{}, {hot, 0.02}, share, {}, true}});
    return stage;
}

}  // namespace repebble::inline v0::detail

#endif
