#ifndef REPEBBLE_PLANNER_DETAIL_MODEL_EFFORT_HPP
#define REPEBBLE_PLANNER_DETAIL_MODEL_EFFORT_HPP

// The table of effort: how much work each technique of the planner may do, and which share of it each stage gets. Work
// is counted in moves (annealing), maximum flows (bounds) and steps (subgradients), never in seconds, so that plans
// without a time limit are deterministic. Every constant of this kind is here; thresholds of quality (least gains,
// temperatures, probabilities) stay beside the algorithm that they steer.

#include <algorithm>
#include <cstddef>

namespace repebble::inline v0::detail {

/// Graphs with more operations than this get less work for each operation.
inline constexpr std::size_t large_flow = 600;

namespace effort {

// Annealing in all: moves, by number of operations.
// Between 5 and 75 operations `moves_per_operation` decides, beyond that the limits.
inline constexpr std::size_t moves_per_operation = 40'000, least_moves = 200'000;
inline constexpr std::size_t most_moves = 3'000'000, most_moves_large = 1'000'000;  ///< the latter from 3,000 on
inline constexpr std::size_t moves_times_operations = 3'000'000'000;                ///< a move costs O(√n)
static_assert(least_moves <= most_moves_large && most_moves_large <= most_moves);
inline constexpr std::size_t another_part = 3, another_part_large = 8;  ///< of another attempt, as 1/part
inline constexpr std::size_t another_moves_per_operation = 8;           ///< of large graphs
inline constexpr double brief_moves_per_operation = 200;  ///< with fewer, two cool stages replace the memetic search

// Annealing: shares of all moves, and moves for each operation.
inline constexpr double brief_first_share = 0.5, brief_second_share = 0.25;
inline constexpr std::size_t first_walks = 6;
inline constexpr double first_share = 0.3, first_walk_per_operation = 90, least_first_walk = 10'000;
inline constexpr double early_share = 0.25, early_walk_per_operation = 90;
inline constexpr double hot_share = 0.15, least_hot_per_operation = 750, most_hot_per_operation = 3000;

// Memetic search: children of a generation, moves of a child's walk, and when a perturbed child is tried.
inline constexpr std::size_t children = 6;
inline constexpr double child_walk_per_operation = 10, least_child_walk = 1500;
inline constexpr double perturbed_walk = 8;                     ///< times as long
inline constexpr double perturbing_moves_per_operation = 3000;  ///< with fewer moves in all, no child is perturbed
inline constexpr std::size_t failures_before_perturbing = 12;   ///< children in a row no better than their parents
inline constexpr std::size_t least_patience = 40, most_patience = 150;  ///< such children before a restart

// Annealing: moves from one look at the clock to the next.
inline constexpr std::size_t polls = 16, least_moves_between_polls = 256, most_moves_between_polls = 4096;

// Order of work for one budget: where each stage ends, as a share of the time limit.
inline constexpr double order_share = 0.1;     // of the time that is left, for the order of least peak
inline constexpr double baseline_share = 0.5;  // of the time that is left, for each of the older strategies
inline constexpr double until_evicted = 0.1, until_one_cut = 0.2, until_repaired = 0.3;
inline constexpr double until_several = 0.35, until_several_hard = 0.15, until_max_sat = 0.45;
inline constexpr double until_evolved = 0.8, until_evolved_hard = 0.6;

// Order of work for one budget: shares of the usual work where time is not limited.
inline constexpr double least_canonical_share = 0.1, early_one_cut_share = 0.1;
inline constexpr double several_cuts_share = 2.5, late_several_cuts_share = 1.5;

// Exact search of small graphs: states in memory, of about 100 bytes each, at each stage where time is not limited, and
// in the end. Where the first stage ends, if the annealing has a start, as a share of the time limit; the second:
// `exact_end`.
inline constexpr std::size_t few_states = 20'000, many_states = 200'000;
inline constexpr std::size_t most_states_with_plan = 4'000'000, most_states = 16'000'000;
inline constexpr double until_exact = 0.35;

// Forward repair: cuts whose choices are repaired.
inline constexpr std::size_t most_repaired_cuts = 5;

// Length of sequences that are looked for.
inline constexpr std::size_t steps_per_operation = 20, more_steps = 10'000;

// Eviction: values that are compared, ancestors in a cost, runs with other budgets.
inline constexpr std::size_t evicted_sample = 48, most_ancestors = 12;
inline constexpr int eviction_rounds = 6;

// One cut: byte units and filled choices that are tried, by operations.
inline constexpr std::size_t unit_work = 1'000'000, least_units = 16;
inline constexpr std::size_t fill_work = 2'000'000, least_fill_trials = 20, most_fill_trials = 400;

// Several cuts: steps of the dual ascent.
inline constexpr std::size_t root_steps = 30, trial_steps = 10, node_steps = 6;

// Several cuts: how far a chain grows, and parts (as 1/part) of the work that is left.
inline constexpr std::size_t most_cuts = 8;
inline constexpr std::size_t branch_part = 6, settle_part = 3, trial_part = 2;
inline constexpr int violated_trials = 3;
inline constexpr std::size_t violated_part = 4;  ///< of all trials together
inline constexpr std::ptrdiff_t trials_by_bound = 4, trials_by_estimate = 12;

// Swapping: moves of the annealing, cuts that are tried, and steps of the subgradients at all and at the best of them.
inline constexpr std::size_t swap_moves_per_operation = 200;
inline constexpr std::size_t large_swapped_flow = 1500;  ///< beyond, greedy decisions take too long
inline constexpr std::size_t most_tried_gaps = 4000;
inline constexpr std::size_t most_swap_starts = 8;      ///< that are annealed
inline constexpr std::size_t most_swap_windows = 4000;  ///< operations of graphs whose windows count ancestors
inline constexpr std::size_t first_swap_steps = 60, more_swap_steps = 400, most_swap_bounds = 4;
inline constexpr std::size_t exact_swap_work = 500'000, exact_swap_work_per_move = 100;  ///< small graphs

// Clauses: size of the encoding, usual work of the solver, and the least part of a time limit.
inline constexpr std::size_t most_literals = 20'000;
inline constexpr double usual_max_sat_work = 20'000'000, least_max_sat_share = 0.1;

// Clauses: work of the solver before progress is judged, and that which is never called in vain.
inline constexpr std::size_t first_core_check = 2'000'000, little_core_work = 10'000'000;

}  // namespace effort

/// Moves of the annealing where nothing else is asked for, since a move costs O(√n): some 2 seconds, and for a hard
/// budget of a small graph up to 7 with all bounds and arenas.
[[nodiscard]] inline auto usual_moves(std::size_t operations) -> std::size_t {
    auto const most =
        std::clamp(effort::moves_times_operations / (operations + 1), effort::most_moves_large, effort::most_moves);
    return std::clamp(effort::moves_per_operation * operations, effort::least_moves, most);
}

/// Maximum flows for bounds where nothing else is asked for: about a second.
[[nodiscard]] inline auto usual_flows(std::size_t operations) -> double {
    auto const n = static_cast<double>(operations + 50);
    return 6e6 / n * std::min(1.0, 500 / n);
}

namespace effort {
/// Cuts at which plans with copies are bounded.
[[nodiscard]] inline auto swap_cuts(std::size_t operations) -> std::size_t {
    return std::clamp<std::size_t>(20'000 / (operations + 1), 4, 40);
}
}  // namespace effort

/// Cuts that are tried alone.
[[nodiscard]] inline auto cuts_tried(std::size_t operations) -> std::size_t {
    return std::clamp<std::size_t>(300'000 / (operations + 1), 12, 150);
}

/// Subproblems of the branch and bound on one cut, for a share of the usual work.
[[nodiscard]] inline auto one_cut_subproblems(std::size_t operations, double share) -> std::size_t {
    return static_cast<std::size_t>(share * 1'500'000 / static_cast<double>(operations + 100));
}

/// Rounds of forward repair. Very large graphs are hardly annealed, so that these starts matter most there.
[[nodiscard]] inline auto forward_repair_rounds(std::size_t operations) -> std::size_t {
    auto const n = operations + 1;
    return 60'000 / n + (n > 5 * large_flow ? std::min<std::size_t>(100, 900'000 / n) : 2);
}

/// Where the exact search ends if there is a plan, as a share of the time limit: it mostly solves small graphs, but few
/// larger ones.
[[nodiscard]] inline auto exact_end(std::size_t operations) -> double { return operations <= 40 ? 0.95 : 0.6; }

/// Whether annealing is soon done, but bounds are hard to raise: then bounds get a larger share of the time.
[[nodiscard]] inline auto is_hard_to_bound(std::size_t operations) -> bool {
    return operations > large_flow / 10 && operations <= large_flow / 2;
}

/// Moves of another attempt, which begins with a plan that nearly fits the budget.
[[nodiscard]] inline auto moves_of_another_attempt(std::size_t operations) -> std::size_t {
    auto const usual = usual_moves(operations);
    if (operations <= large_flow) return usual / effort::another_part;
    return std::max(usual / effort::another_part_large,
                    std::min(usual, effort::another_moves_per_operation * (operations + 1)));
}

/// Whether so few moves in all are too few for a memetic search: then they are spent on cool walks.
[[nodiscard]] inline auto is_brief(std::size_t operations, double moves) -> bool {
    return moves < effort::brief_moves_per_operation * static_cast<double>(operations + 1);
}

}  // namespace repebble::inline v0::detail

#endif
