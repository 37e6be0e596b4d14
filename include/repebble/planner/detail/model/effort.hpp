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
inline constexpr std::size_t moves_per_operation = 40'000, least_moves = 200'000;
inline constexpr std::size_t most_moves = 3'000'000, most_moves_large = 1'000'000;  ///< the latter from 3,000 on
inline constexpr std::size_t moves_times_operations = 3'000'000'000;                ///< a move costs O(√n)
inline constexpr std::size_t another_part = 3, another_part_large = 8;              ///< of another attempt, as 1/part
inline constexpr std::size_t another_moves_per_operation = 8;                       ///< of large graphs
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

// Length of sequences that are looked for.
inline constexpr std::size_t steps_per_operation = 20, more_steps = 10'000;

// Eviction: values that are compared, ancestors in a cost, runs with other budgets.
inline constexpr std::size_t evicted_sample = 48, most_ancestors = 12;
inline constexpr int eviction_rounds = 6;

// One cut: byte units and filled choices that are tried, by operations.
inline constexpr std::size_t unit_work = 1'000'000, least_units = 16;
inline constexpr std::size_t fill_work = 2'000'000, least_fill_trials = 20, most_fill_trials = 400;

// Several cuts: steps of the dual ascent.
inline constexpr std::size_t root_steps = 30, trial_steps = 10, row_steps = 100;
inline constexpr std::size_t node_steps = 6, node_steps_with_rows = 12;
inline constexpr std::size_t guided_root_steps = 40, guided_split_steps = 160;
inline constexpr std::size_t split_steps = 250, least_split_work = 4500;

// Several cuts: how far a chain grows, and parts (as 1/part) of the work that is left.
inline constexpr std::size_t most_cuts = 8, most_guided_cuts = 7, most_split_cuts = 4;
inline constexpr int guided_rounds = 2;
inline constexpr std::size_t branch_part = 6, settle_part = 3, trial_part = 2, row_part = 4, split_part = 2;
inline constexpr int violated_trials = 3;
inline constexpr std::size_t violated_part = 4;  ///< of all trials together
inline constexpr std::ptrdiff_t trials_by_bound = 4, trials_by_estimate = 12;

// Clauses: work of the solver before progress is judged, and that which is never called in vain.
inline constexpr std::size_t first_core_check = 2'000'000, little_core_work = 10'000'000;

}  // namespace effort

/// Moves of the annealing where nothing else is asked for: some 2 seconds, since a move costs O(√n).
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
