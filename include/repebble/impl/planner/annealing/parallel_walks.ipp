#ifndef REPEBBLE_IMPL_PLANNER_ANNEALING_PARALLEL_WALKS_IPP
#define REPEBBLE_IMPL_PLANNER_ANNEALING_PARALLEL_WALKS_IPP

#include <repebble/planner/detail/annealing/parallel_walks.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include <repebble/detail/parallel_tasks.hpp>
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

REPEBBLE_INLINE auto run_walks(planning_model const& m, bytes budget, annealing_stage const& stage,
                                    std::vector<operation_index> const& start, walk_limits const& asked,
                                    function_ref<bool(std::int64_t)> is_enough,
                                    function_ref<bool(std::int64_t, double)> look) -> walk_results {
    auto const schedules = stage.size();
    auto const threads = std::clamp<std::size_t>(asked.threads, 1, schedules);
    bool const unlimited = asked.moves == std::numeric_limits<std::size_t>::max();
    std::atomic<bool> stop{false};
    std::atomic<std::size_t> last{schedules};          // the first schedule that found enough
    std::vector<std::atomic<double>> done(schedules);  // shares of all moves
    auto const begin = wall_clock::now();
    std::vector<walked_sequence> found(schedules);
    double const all = stage_share(stage);
    auto const share_done = [&] {
        double share = 0;
        for (auto const& part : done) share += part;
        return share;
    };
    auto const is_late = [&] {
        return asked.seconds_left && (wall_clock::now() - begin).count() > *asked.seconds_left;
    };
    auto const ask = [&](std::int64_t time) {
        if (look(time, share_done() / all)) stop = true;
    };
    auto const work = [&](std::size_t k, std::size_t worker) {
        auto seed = asked.seed;
        for (std::size_t before = 0; before < k; ++before) seed += stage[before].size();
        auto& best = found[k];
        bool over = stop || last < k;
        for (auto round = stage[k].begin(); round != stage[k].end() && !over; ++round) {
            auto const from = round->start ? *round->start : best.computations ? *best.computations : start;
            auto const moves =
                unlimited ? asked.moves
                          : static_cast<std::size_t>(std::ceil(static_cast<double>(asked.moves) * round->share));
            std::optional<double> seconds;
            if (asked.seconds) seconds = *asked.seconds * round->share * static_cast<double>(threads);
            double const before = done[k];
            anneal(m, from, budget, seed++, *round, moves, seconds, [&](annealer const& walk, double share) {
                if (walk.best() && walk.best_time() < best.time) best = {walk.best(), walk.best_time()};
                done[k] = before + share * round->share;
                if (worker == 0) ask(best.time);
                if (best.computations && is_enough(best.time)) {
                    auto first = last.load();
                    while (k < first && !last.compare_exchange_weak(first, k)) {
                    }
                }
                return over = stop || last <= k || is_late();
            });
            if (!over) done[k] = before + round->share;
        }
    };
    parallel_tasks(schedules, threads, stop, work, [&] { ask(std::numeric_limits<std::int64_t>::max()); });
    found.resize(std::min(schedules, last + 1));
    return {std::move(found), share_done()};
}

}  // namespace repebble::inline v0::detail

#endif
