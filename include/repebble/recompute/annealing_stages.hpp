#ifndef REPEBBLE_RECOMPUTE_ANNEALING_STAGES_HPP
#define REPEBBLE_RECOMPUTE_ANNEALING_STAGES_HPP

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <repebble/recompute/annealing_round.hpp>
#include <repebble/recompute/sequence_loads.hpp>

namespace repebble::detail {

/// Where moves are few, for so many operations: what little there is goes into cool walks.
[[nodiscard]] inline auto is_brief(std::size_t operations, double moves) -> bool {
    return moves < 200 * static_cast<double>(operations + 1);
}

/// Cool walks from what may be beyond the budget, if it nearly fits, or else from the best so far; then from the best.
[[nodiscard]] inline auto brief_stages(search_model const& m, bytes budget, std::vector<operation_index> beyond,
                                       double moves) -> std::vector<annealing_stage> {
    auto const loads = sequence_loads(m, beyond);
    bool const can_walk = moves >= static_cast<double>(m.operation_count() + 1);
    bool const near = can_walk && !loads.empty() && std::ranges::max(loads) - budget / 50 <= budget;
    std::vector<annealing_stage> stages{{{{{}, {0.1, 0.02}, 0.5}}},
                                        {{{{}, {0.1, 0.02}, 0.25}, {{}, {0.3, 0.02}, 0.25}}}};
    if (near) stages.front().front().front().start = std::move(beyond);
    return stages;
}

/// A walk from each start; every other one brings forward what runs again.
[[nodiscard]] inline auto first_stage(std::vector<std::vector<operation_index>> starts, double share)
    -> annealing_stage {
    annealing_stage stage;
    for (auto& start : starts)
        stage.push_back({{std::move(start), {0.3, 0.02}, share, {.brings_forward = stage.size() % 2 == 1}}});
    return stage;
}

/// Hot walks, which cool down: they leave where they begin and end elsewhere, often at what is better, and find
/// something within the budget where others found nothing. Small and tight flows want more heat: every other stage has
/// it.
[[nodiscard]] inline auto hot_stage(double share, bool hotter) -> annealing_stage {
    annealing_stage stage;
    for (double const hot : {hotter ? 10.0 : 3.0, hotter ? 1.0 : 0.5})
        stage.push_back({{{}, {hot, 0.02}, share, {}, true}});
    return stage;
}

}  // namespace repebble::detail

#endif
