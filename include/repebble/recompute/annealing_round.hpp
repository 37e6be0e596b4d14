#ifndef REPEBBLE_RECOMPUTE_ANNEALING_ROUND_HPP
#define REPEBBLE_RECOMPUTE_ANNEALING_ROUND_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/detail/thread_clock.hpp>
#include <repebble/recompute/sequence_annealer.hpp>
#include <repebble/recompute/sequence_loads.hpp>

namespace repebble::detail {

/// Of the annealing of so many operations, where nothing else is asked for: some 2 seconds. A move costs O(√n).
[[nodiscard]] inline auto usual_moves(std::size_t operations) -> std::size_t {
    auto const most = std::clamp<std::size_t>(3'000'000'000 / (operations + 1), 1'000'000, 3'000'000);
    return std::clamp<std::size_t>(20'000 * operations, 200'000, most);
}

/// With more operations than that, less is tried.
inline constexpr std::size_t large_flow = 600;

/// Of another attempt, from what is nearly within the budget.
[[nodiscard]] inline auto moves_of_another_attempt(std::size_t operations) -> std::size_t {
    constexpr std::size_t enough = 8;  // for each operation
    auto const usual = usual_moves(operations);
    if (operations <= large_flow) return usual / 3;
    return std::max(usual / 8, std::min(usual, enough * (operations + 1)));
}

struct annealing_round {
    std::optional<std::vector<operation_index>> start;  ///< none: the best so far
    annealing_heat heat;
    double share;  ///< of all moves, and of the time
};
using annealing_island = std::vector<annealing_round>;  ///< one after the other, each from the best of them
using annealing_stage = std::vector<annealing_island>;  ///< for themselves, from the best of the stage before

[[nodiscard]] inline auto stage_share(annealing_stage const& stage) -> double {
    double all = 0;
    for (auto const& island : stage)
        for (auto const& round : island) all += round.share;
    return all;
}

/// The best of what was swept, a little; what may be beyond the budget and lead further, the first of it above all;
/// and the best so far, hot and cooled down. Where moves are few: only what is within the budget, or nearly, and
/// cool.
[[nodiscard]] inline auto annealing_stages(search_model const& m, bytes budget,
                                           std::vector<std::vector<operation_index>> swept,
                                           std::vector<std::vector<operation_index>> beyond, double moves)
    -> std::vector<annealing_stage> {
    constexpr std::size_t most_swept = 4;
    constexpr double swept_share = 0.06, beyond_share = 0.1, few = 200;
    auto const n = static_cast<double>(m.operation_count() + 1);
    if (moves < few * n) {
        auto const loads = sequence_loads(m, beyond.front());
        bool const near = moves >= n && !loads.empty() && std::ranges::max(loads) - budget / 50 <= budget;
        std::vector<annealing_stage> stages{{{{{}, {0.1, 0.02}, 0.5}}},
                                            {{{{}, {0.1, 0.02}, 0.25}, {{}, {0.3, 0.02}, 0.25}}}};
        if (near) stages.front().front().front().start = std::move(beyond.front());
        return stages;
    }
    std::ranges::sort(swept, {}, [&](auto const& c) { return std::pair(sequence_time(m, c), c.size()); });
    auto const same = std::ranges::unique(swept);
    swept.erase(same.begin(), same.end());
    swept.resize(std::min(swept.size(), most_swept));
    annealing_stage given;
    auto const left =
        1 - beyond_share * static_cast<double>(beyond.size()) - swept_share * static_cast<double>(swept.size());
    for (auto& c : swept) given.push_back({{std::move(c), {0.3, 0.02}, swept_share}});
    for (auto& c : beyond) given.push_back({{std::move(c), {0.1, 0.02}, beyond_share}});
    std::vector<annealing_stage> stages{std::move(given)};
    // Short walks find as much as long ones, and go elsewhere each time.
    constexpr std::size_t islands = 2;
    constexpr annealing_heat heats[] = {{3, 0.15}, {1, 0.05}, {0.3, 0.02}};
    auto const walk_moves = 250 * n;
    auto const count = static_cast<std::size_t>(std::clamp(left * moves / (3 * islands * walk_moves), 1.0, 3.0));
    annealing_island island;
    for (auto const& heat : heats) island.push_back({{}, heat, left / static_cast<double>(3 * islands * count)});
    for (std::size_t k = 0; k < count; ++k) stages.emplace_back(islands, island);
    return stages;
}

/// Anneals from `start` by as many moves, or as long; calls look(walk, share) now and then, until that says stop.
template <class Look>
void anneal(search_model const& m, std::vector<operation_index> const& start, bytes budget, std::uint64_t seed,
            annealing_heat const& heat, std::size_t moves, std::optional<double> seconds, Look&& look) {
    constexpr std::size_t chunk = 4096;
    sequence_annealer walk(m, start, budget, seed);
    auto const begin = thread_clock::now();
    for (std::size_t k = 0; k < moves;) {
        auto share = static_cast<double>(k) / static_cast<double>(moves);
        if (seconds) share = std::max(share, (thread_clock::now() - begin) / thread_clock::duration(*seconds));
        if (share >= 1) return;
        auto const now = std::min(chunk, moves - k);
        walk.run(now, heat, share);
        k += now;
        if (look(walk, share)) return;
    }
}

}  // namespace repebble::detail

#endif
