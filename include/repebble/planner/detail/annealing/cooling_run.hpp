#ifndef REPEBBLE_PLANNER_DETAIL_ANNEALING_COOLING_RUN_HPP
#define REPEBBLE_PLANNER_DETAIL_ANNEALING_COOLING_RUN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/thread_clock.hpp>
#include <repebble/planner/detail/annealing/annealer.hpp>
#include <repebble/planner/detail/annealing/move_rules.hpp>

namespace repebble::inline v0::detail {

/// Of the annealing of so many operations, where nothing else is asked for: some 2 seconds. A move costs O(√n).
[[nodiscard]] inline auto usual_moves(std::size_t operations) -> std::size_t {
    auto const most = std::clamp<std::size_t>(3'000'000'000 / (operations + 1), 1'000'000, 3'000'000);
    return std::clamp<std::size_t>(40'000 * operations, 200'000, most);
}

/// Of maximum flows for bounds, where nothing else is asked for: some second.
[[nodiscard]] inline auto usual_flows(std::size_t operations) -> double {
    auto const n = static_cast<double>(operations + 50);
    return 6e6 / n * std::min(1.0, 500 / n);
}

/// With more operations than that, less is tried.
inline constexpr std::size_t large_flow = 600;
/// Soon annealed, but hard to bound.
[[nodiscard]] inline auto is_hard_to_bound(std::size_t operations) -> bool {
    return operations > large_flow / 10 && operations <= large_flow / 2;
}

/// Of another attempt, from what is nearly within the budget.
[[nodiscard]] inline auto moves_of_another_attempt(std::size_t operations) -> std::size_t {
    constexpr std::size_t enough = 8;  // for each operation
    auto const usual = usual_moves(operations);
    if (operations <= large_flow) return usual / 3;
    return std::max(usual / 8, std::min(usual, enough * (operations + 1)));
}

struct cooling_run {
    std::optional<std::vector<operation_index>> start;  ///< none: the best so far
    temperature_range temperatures;
    double share;  ///< of all moves, and of the time
    move_rules rules{};
    bool explores = false;  ///< what its first half meets counts only where it is faster than where it began
};
using cooling_schedule = std::vector<cooling_run>;      ///< one after the other, each from the best of them
using annealing_stage = std::vector<cooling_schedule>;  ///< for themselves, from the best of the stage before

[[nodiscard]] inline auto stage_share(annealing_stage const& stage) -> double {
    double all = 0;
    for (auto const& island : stage)
        for (auto const& round : island) all += round.share;
    return all;
}

/// Anneals from `start` as the round says by as many moves, or as long; calls look(walk, share) now and then, until
/// that says stop.
inline void anneal(planning_model const& m, std::vector<operation_index> const& start, bytes budget, std::uint64_t seed,
                   cooling_run const& round, std::size_t moves, std::optional<double> seconds,
                   function_ref<bool(annealer const&, double)> look) {
    auto const chunk = std::clamp<std::size_t>(moves / 16, 256, 4096);
    annealer walk(m, start, budget, seed, round.rules);
    if (round.explores) walk.forget_best();
    auto const begin = thread_clock::now();
    for (std::size_t k = 0; k < moves;) {
        auto share = static_cast<double>(k) / static_cast<double>(moves);
        if (seconds) share = std::max(share, (thread_clock::now() - begin) / thread_clock::duration(*seconds));
        if (share >= 1) return;
        if (round.explores && share >= 0.5) walk.forget_time();
        auto const now = std::min(chunk, moves - k);
        walk.run(now, round.temperatures, share);
        k += now;
        if (look(walk, share)) return;
    }
}

}  // namespace repebble::inline v0::detail

#endif
