#ifndef REPEBBLE_IMPL_PLANNER_ANNEALING_COOLING_PLAN_IPP
#define REPEBBLE_IMPL_PLANNER_ANNEALING_COOLING_PLAN_IPP

#include <repebble/planner/detail/annealing/cooling_plan.hpp>

#include <utility>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/planner/detail/model/sequence_loads.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto brief_stages(planning_model const& m, bytes budget, std::vector<operation_index> beyond,
                                  std::vector<operation_index> other, double moves) -> std::vector<annealing_stage> {
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

REPEBBLE_INLINE auto cool_stage(std::vector<std::vector<operation_index>> starts, double share) -> annealing_stage {
    annealing_stage stage;
    for (auto& start : starts)
        stage.push_back({{std::move(start), {0.3, 0.02}, share, {.brings_forward = stage.size() % 2 == 1}}});
    return stage;
}

REPEBBLE_INLINE auto first_stage(std::vector<std::vector<operation_index>> starts, std::size_t operations, double moves)
    -> annealing_stage {
    auto const given = starts.size();
    for (std::size_t k = 0; starts.size() < effort::first_walks; ++k) starts.push_back(starts[k % given]);
    auto const walks = static_cast<double>(starts.size()), n = static_cast<double>(operations + 1);
    auto const walk = std::min(moves * effort::first_share / walks,
                               std::max(effort::first_walk_per_operation * n, effort::least_first_walk));
    return cool_stage(std::move(starts), walk / moves);
}

REPEBBLE_INLINE auto hot_stage(std::size_t operations, double moves, bool hotter) -> annealing_stage {
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
