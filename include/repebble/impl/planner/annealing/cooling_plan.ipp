#ifndef REPEBBLE_IMPL_PLANNER_ANNEALING_COOLING_PLAN_IPP
#define REPEBBLE_IMPL_PLANNER_ANNEALING_COOLING_PLAN_IPP

#include <repebble/planner/detail/annealing/cooling_plan.hpp>

#include <utility>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/planner/detail/model/sequence_loads.hpp>
#include <repebble/planner/detail/model/usual_work.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto brief_stages(planning_model const& m, bytes budget, std::vector<operation_index> beyond,
                                       std::vector<operation_index> other, double moves)
    -> std::vector<annealing_stage> {
    auto const& e = m.effort;
    auto const loads = sequence_loads(m, beyond);
    temperature_range const cool{e.brief_temperature, e.cold_temperature};
    temperature_range const last{e.brief_last_temperature, e.cold_temperature};
    bool const can_walk = moves >= static_cast<double>(m.operation_count() + 1);
    bool const near = can_walk && !loads.empty() && std::ranges::max(loads) - budget / e.near_part <= budget;
    std::vector<annealing_stage> stages{{{{{}, cool, e.brief_first_share}}},
                                        {{{{}, cool, e.brief_second_share}, {{}, last, e.brief_second_share}}}};
    if (near) stages.front().front().front().start = std::move(beyond);
    if (can_walk && !other.empty()) stages.back() = {{{std::move(other), cool, 2 * e.brief_second_share}}};
    return stages;
}

REPEBBLE_INLINE auto cool_stage(planning_model const& m, std::vector<std::vector<operation_index>> starts, double share)
    -> annealing_stage {
    temperature_range const cool{m.effort.walk_temperature, m.effort.cold_temperature};
    annealing_stage stage;
    for (auto& start : starts)
        stage.push_back({{std::move(start), cool, share, {.brings_forward = stage.size() % 2 == 1}}});
    return stage;
}

REPEBBLE_INLINE auto first_stage(planning_model const& m, std::vector<std::vector<operation_index>> starts,
                                 double moves) -> annealing_stage {
    auto const& e = m.effort;
    auto const given = starts.size();
    for (std::size_t k = 0; starts.size() < e.first_walks; ++k) starts.push_back(starts[k % given]);
    auto const walks = static_cast<double>(starts.size()), n = static_cast<double>(m.operation_count() + 1);
    auto const walk =
        std::min(moves * e.first_share / walks, std::max(e.first_walk_per_operation * n, e.least_first_walk));
    return cool_stage(m, std::move(starts), walk / moves);
}

REPEBBLE_INLINE auto hot_stage(planning_model const& m, double moves, bool hotter) -> annealing_stage {
    auto const& e = m.effort;
    auto const n = static_cast<double>(m.operation_count() + 1);
    auto const share =
        limited_to(e.least_hot_per_operation * n / moves, e.hot_share, e.most_hot_per_operation * n / moves);
    annealing_stage stage;
    for (double const hot :
         {hotter ? e.hotter_temperature : e.hot_temperature, hotter ? e.warmer_temperature : e.warm_temperature})
        stage.push_back({{{}, {hot, e.cold_temperature}, share, {}, true}});
    return stage;
}

}  // namespace repebble::inline v0::detail

#endif
