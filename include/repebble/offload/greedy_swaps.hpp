#ifndef REPEBBLE_OFFLOAD_GREEDY_SWAPS_HPP
#define REPEBBLE_OFFLOAD_GREEDY_SWAPS_HPP

// A greedy planner in the simulator: at the fullest row, the choice that costs least for each byte that it frees there,
// by simulation. No learning; the measure of what learning is worth.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/offload/judged_swaps.hpp>
#include <repebble/offload/simulate_swaps.hpp>
#include <repebble/offload/swap_problem.hpp>

namespace repebble::inline v0 {

namespace detail {

struct greedy_swaps_fn {
    [[nodiscard]] auto operator()(swap_problem const& problem, swap_options const& options) const -> judged_swaps {
        auto now = judge_swaps(problem, problem.keep_all(), options);
        while (!now.result.feasible) {
            auto next = cheapest_step(problem, options, now);
            if (!next) break;
            now = std::move(*next);
        }
        return now;
    }

  private:
    [[nodiscard]] static auto cheapest_step(swap_problem const& problem, swap_options const& options,
                                            judged_swaps const& now) -> std::optional<judged_swaps> {
        auto const& intervals = problem.intervals();
        std::vector<std::size_t> candidates;  // the largest first, as fewer of them do
        for (std::size_t i = 0; i < intervals.size(); ++i)
            if (now.plan[i] == swap_choice::keep && intervals[i].may_be_absent(now.result.fullest_row))
                candidates.push_back(i);
        std::ranges::stable_sort(candidates, std::greater{}, [&](auto i) { return problem.size(intervals[i]); });

        std::optional<judged_swaps> best;
        double least = 0;
        auto const excess = now.result.least_limit - options.limit;
        auto trial = now.plan;
        for (auto const i : candidates) {
            for (auto const choice : {swap_choice::offload, swap_choice::remove}) {
                if (choice == swap_choice::remove && !intervals[i].is_removable) continue;
                trial[i] = choice;
                auto result = simulate_swaps(problem, trial, options);
                auto const cost = static_cast<double>(result.overhead - now.result.overhead) /
                                  static_cast<double>(std::min(problem.size(intervals[i]), excess));
                if (result.least_limit <= now.result.least_limit && (!best || cost < least)) {
                    least = cost;
                    best = judged_swaps{trial, std::move(result)};
                }
            }
            trial[i] = swap_choice::keep;
            if (best && least <= 0) break;
        }
        return best;
    }
};

}  // namespace detail

/// Chooses until all fits: at the row that needs most, the offload or removal that adds the least overhead for each
/// byte of what is too much there, by simulation; the first that costs nothing, from the largest. Where nothing is left
/// to choose, the plan does not fit. Heuristic; deterministic.  O(choices · intervals) simulations.  Throws as
/// `simulate_swaps` does.
inline constexpr detail::greedy_swaps_fn greedy_swaps{};

}  // namespace repebble::inline v0

#endif
