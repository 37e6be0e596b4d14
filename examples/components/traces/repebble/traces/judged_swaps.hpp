#ifndef REPEBBLE_TRACES_JUDGED_SWAPS_HPP
#define REPEBBLE_TRACES_JUDGED_SWAPS_HPP

// A plan of a trace with its simulation, and which of two is better: the result of all baselines, and of the greedy
// planner.

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>

#include <repebble/traces/simulate_swaps.hpp>
#include <repebble/traces/swap_problem.hpp>

namespace repebble::inline v0 {

/// A plan and what `simulate_swaps` says of it.
struct judged_swaps {
    swap_plan plan{};      ///< one choice for each reuse interval
    swap_result result{};  ///< under the options with which it was judged

    friend auto operator==(judged_swaps const&, judged_swaps const&) -> bool = default;
};

namespace detail {

/// The one that fits; then the faster one, or, where none fits, that of the smaller limit; the first of equals.
inline void keep_better(judged_swaps& best, judged_swaps other) {
    auto const key = [](judged_swaps const& j) {
        return std::tuple(!j.result.feasible, j.result.feasible ? j.result.overhead : 0, j.result.least_limit);
    };
    if (best.plan.empty() || key(other) < key(best)) best = std::move(other);
}

/// Whether the variable of an interval may be absent at the fullest row of the trace: it is held from one half of the
/// iteration into the other.
[[nodiscard]] inline auto crosses_peak(swap_problem const& problem) {
    auto const row = simulate_swaps(problem, problem.keep_all(), {}).fullest_row;
    return [row](reuse_interval const& i) { return row != no_row && i.may_be_absent(row); };
}

}  // namespace detail

/// Simulates a plan: the plan beside its result.  As `simulate_swaps`.
[[nodiscard]] inline auto judge_swaps(swap_problem const& problem, swap_plan plan, swap_options const& options)
    -> judged_swaps {
    auto result = simulate_swaps(problem, plan, options);
    return {std::move(plan), std::move(result)};
}

/// Memory saved, as a share of the peak (point 30): (peak − limit) / peak, of all memory of the trace, or without
/// that of variables which have it during the whole iteration. 0 where the limit is above the peak.  O(1).
[[nodiscard]] inline auto memory_reduction(swap_problem const& problem, bytes limit, bool with_persistent = true)
    -> double {
    auto const least = with_persistent ? 0 : problem.persistent();
    auto const peak = problem.peak() - least;
    auto const saved = problem.peak() - limit;
    return peak <= 0 || saved <= 0 ? 0.0 : static_cast<double>(saved) / static_cast<double>(peak);
}

}  // namespace repebble::inline v0

#endif
