#ifndef REPEBBLE_IMPL_PLANNER_ANNEALING_COOLING_RUN_IPP
#define REPEBBLE_IMPL_PLANNER_ANNEALING_COOLING_RUN_IPP

#include <repebble/planner/detail/annealing/cooling_run.hpp>

#include <algorithm>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/detail/wall_clock.hpp>
#include <repebble/planner/detail/annealing/annealer.hpp>
#include <repebble/planner/detail/model/usual_work.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto stage_share(annealing_stage const& stage) -> double {
    double all = 0;
    for (auto const& schedule : stage)
        for (auto const& run : schedule) all += run.share;
    return all;
}

REPEBBLE_INLINE void anneal(planning_model const& m, std::vector<operation_index> const& start, bytes budget,
                            std::uint64_t seed, cooling_run const& run, std::size_t moves,
                            std::optional<double> seconds, function_ref<bool(annealer const&, double)> poll) {
    auto const& e = m.effort;
    auto const chunk = limited_to(e.least_moves_between_polls, moves / e.polls, e.most_moves_between_polls);
    annealer walk(m, start, budget, seed, run.rules);
    if (run.explores) walk.forget_best();
    auto const begin = wall_clock::now();
    for (std::size_t k = 0; k < moves;) {
        auto share = static_cast<double>(k) / static_cast<double>(moves);
        if (seconds) share = std::max(share, (wall_clock::now() - begin) / wall_clock::duration(*seconds));
        if (share >= 1) return;
        if (run.explores && share >= e.explored_share) walk.forget_time();
        auto const now = std::min(chunk, moves - k);
        walk.run(now, run.temperatures, share);
        k += now;
        if (poll(walk, share)) return;
    }
}

}  // namespace repebble::inline v0::detail

#endif
