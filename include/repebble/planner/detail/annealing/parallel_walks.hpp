#ifndef REPEBBLE_PLANNER_DETAIL_ANNEALING_PARALLEL_WALKS_HPP
#define REPEBBLE_PLANNER_DETAIL_ANNEALING_PARALLEL_WALKS_HPP

// Independent annealing walks on several threads with one deterministic result: a stage is a list of cooling schedules,
// each of which has its own seeds, and results are in their order. Used by `annealing_search`.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/parallel_tasks.hpp>
#include <repebble/detail/thread_clock.hpp>
#include <repebble/planner/detail/annealing/cooling_run.hpp>

namespace repebble::inline v0::detail {

/// The fastest sequence within the budget that one cooling schedule met; nothing where it met none.
struct walked_sequence {
    std::optional<std::vector<operation_index>> computations{};
    std::int64_t time = std::numeric_limits<std::int64_t>::max();
};

/// Limits of the walks of a stage.
struct walk_limits {
    std::size_t moves = 0;                 ///< of all stages together
    std::optional<double> seconds{};       ///< CPU seconds of all stages together, of each thread
    std::optional<double> seconds_left{};  ///< CPU seconds of each thread from now on
    std::uint64_t seed = 1;                ///< of the first walk; each other walk has the next one
    std::size_t threads = 1;
};

/// The results of a stage.
struct walk_results {
    std::vector<walked_sequence> found{};  ///< by cooling schedule of the stage
    double seconds = 0;                    ///< CPU time of the busiest thread
    double share = 0;                      ///< of all moves: those that were made, or that a time limit saved
};

/// Runs the cooling schedules of a stage, each from `start` unless its runs name another. The result does not depend on
/// the number of threads. Where is_enough(time) holds for a sequence, later schedules end, and their results are left
/// out. look(time, share) is called on the calling thread only, now and then, with the best time of that thread and the
/// share of the stage that is done; it returns whether to stop.
[[nodiscard]] inline auto run_walks(planning_model const& m, bytes budget, annealing_stage const& stage,
                                    std::vector<operation_index> const& start, walk_limits const& asked,
                                    function_ref<bool(std::int64_t)> is_enough,
                                    function_ref<bool(std::int64_t, double)> look) -> walk_results {
    auto const schedules = stage.size();
    auto const threads = std::clamp<std::size_t>(asked.threads, 1, schedules);
    bool const unlimited = asked.moves == std::numeric_limits<std::size_t>::max();
    std::atomic<bool> stop{false};
    std::atomic<std::size_t> last{schedules};          // the first schedule that found enough
    std::vector<std::atomic<double>> done(schedules);  // shares of all moves
    std::vector<std::optional<thread_clock::time_point>> begin(threads);
    std::vector<double> spent(threads, 0);
    std::vector<walked_sequence> found(schedules);
    double const all = stage_share(stage);
    auto const share_done = [&] {
        double share = 0;
        for (auto const& part : done) share += part;
        return share;
    };
    auto const ask = [&](std::int64_t time) {
        if (look(time, share_done() / all)) stop = true;
    };
    auto const work = [&](std::size_t k, std::size_t worker) {
        if (!begin[worker]) begin[worker] = thread_clock::now();
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
                spent[worker] = (thread_clock::now() - *begin[worker]).count();
                if (worker == 0) ask(best.time);
                if (best.computations && is_enough(best.time)) {
                    auto first = last.load();
                    while (k < first && !last.compare_exchange_weak(first, k)) {
                    }
                }
                return over = stop || last <= k || (asked.seconds_left && spent[worker] > *asked.seconds_left);
            });
            if (!over) done[k] = before + round->share;
        }
    };
    parallel_tasks(schedules, threads, stop, work, [&] { ask(std::numeric_limits<std::int64_t>::max()); });
    found.resize(std::min(schedules, last + 1));
    return {std::move(found), std::ranges::max(spent), share_done()};
}

}  // namespace repebble::inline v0::detail

#endif
