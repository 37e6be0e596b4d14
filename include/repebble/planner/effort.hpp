#ifndef REPEBBLE_PLANNER_EFFORT_HPP
#define REPEBBLE_PLANNER_EFFORT_HPP

// How much work each technique of the automatic planner may do, and how it does it: one table of all constants, as the
// options of CaDiCaL (Biere et al. 2020). Work is counted in moves (annealing), maximum flows (bounds) and steps
// (subgradients), never in seconds, so that plans without a time limit are deterministic. `tests/checks/walls.py` looks
// for literals elsewhere in the planner; `benchmarks/tune_effort.py` tries other values.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

#include <repebble/graph/error.hpp>

// X(type, name, default, least, most, sentence): "1/part" is one by the constant.
// clang-format off
#define REPEBBLE_EFFORT(X) \
    /* Annealing: moves in all. */ \
    X(count, moves_per_operation, 40'000, 1, 1e9, "moves of the annealing for each operation") \
    X(count, least_moves, 200'000, 1, 1e9, "moves of small graphs") \
    X(count, most_moves, 3'000'000, 1, 1e9, "moves of any graph, at most") \
    X(count, most_moves_large, 1'000'000, 1, 1e9, "what that limit falls to as graphs grow") \
    X(count, moves_times_operations, 3'000'000'000, 1, 1e12, \
      "most_moves falls as this by the operations: a move costs O(√n)") \
    X(count, large_flow, 600, 0, 1e9, "graphs with more operations get less work for each") \
    X(count, another_part, 3, 1, 1e9, "another attempt within less gets 1/part of the moves") \
    X(count, another_part_large, 8, 1, 1e9, "the same of large graphs") \
    X(count, another_moves_per_operation, 8, 0, 1e9, \
      "but another attempt of a large graph gets so many moves for each operation") \
    X(real, moves_per_second, 400'000, 1, 1e9, \
      "moves expected of a second, for the shares of walks under a time limit") \
    /* Annealing: the stages, as shares of all moves. */ \
    X(real, brief_moves_per_operation, 200, 0, 1e9, "with fewer moves two cool stages replace the memetic search") \
    X(real, brief_first_share, 0.5, 1e-6, 1, "share of the moves of the first of two cool stages") \
    X(real, brief_second_share, 0.25, 1e-6, 1, "share of the moves of each walk of the second") \
    X(real, brief_time_share, 0.7, 0, 1, "share of the time limit that two cool stages get") \
    X(whole, near_part, 50, 1, 1e9, "two cool stages begin with a plan that is up to 1/part of the budget above it") \
    X(count, first_walks, 6, 1, 1000, "walks of the first stage, at least") \
    X(real, first_share, 0.3, 1e-6, 1, "share of the moves of the first walks together, at most") \
    X(real, first_walk_per_operation, 90, 0, 1e9, "moves of one of the first walks for each operation, at most") \
    X(real, least_first_walk, 10'000, 1, 1e9, "but a first walk may have so many moves") \
    X(real, early_share, 0.25, 1e-6, 1, "share of the moves of a walk beside the first bounds, at most") \
    X(real, early_walk_per_operation, 90, 1, 1e9, \
      "moves of a walk beside the first bounds for each operation, at most") \
    X(real, hot_share, 0.15, 1e-6, 1, "share of the moves of a hot walk") \
    X(real, least_hot_per_operation, 750, 0, 1e9, "moves of a hot walk for each operation, at least") \
    X(real, most_hot_per_operation, 3000, 1, 1e9, "moves of a hot walk for each operation, at most") \
    X(real, hot_moves_per_operation, 2500, 0, 1e9, \
      "with fewer moves for each operation no hot walk is among the first") \
    X(real, explored_share, 0.5, 0, 1, "part of a hot walk in which plans slower than its start are forgotten") \
    /* The least budget: halving. */ \
    X(count, halvings, 12, 1, 1000, "budgets tried for the least one with a plan") \
    X(count, halving_moves, 20'000, 0, 1e9, "moves for each of them") \
    X(real, halving_share, 0.5, 0, 1, "share of the time limit of all of them together") \
    /* Annealing: temperatures, in mean times of an operation. */ \
    X(real, cold_temperature, 0.02, 1e-9, 1e9, \
      "temperature at the end of each walk, in mean times of an operation, as all of them") \
    X(real, walk_temperature, 0.3, 1e-9, 1e9, "temperature at the beginning of first and early walks") \
    X(real, brief_temperature, 0.1, 1e-9, 1e9, "temperature at the beginning of brief walks") \
    X(real, brief_last_temperature, 0.3, 1e-9, 1e9, "temperature at the beginning of the last brief walk") \
    X(real, child_temperature, 0.1, 1e-9, 1e9, "temperature at the beginning of the walk of a child") \
    X(real, perturbed_temperature, 0.3, 1e-9, 1e9, "temperature at the beginning of the walk of a perturbed child") \
    X(real, hot_temperature, 3, 1e-9, 1e9, "temperature at the beginning of the first hot walk") \
    X(real, warm_temperature, 0.5, 1e-9, 1e9, "temperature at the beginning of the second hot walk") \
    X(real, hotter_temperature, 10, 1e-9, 1e9, \
      "temperature at the beginning of the first hot walk of every other restart") \
    X(real, warmer_temperature, 1, 1e-9, 1e9, \
      "temperature at the beginning of the second hot walk of every other restart") \
    /* Annealing: the penalty on bytes beyond the budget. */ \
    X(real, penalty_part, 200, 1e-9, 1e9, \
      "a byte beyond the budget costs at first so many mean times of an operation by the budget") \
    X(count, penalty_window, 256, 1, 1e9, "moves from one change of the penalty to the next") \
    X(real, most_outside, 0.6, 0, 1, "the penalty rises where a larger share of the moves ends beyond the budget") \
    X(real, least_outside, 0.3, 0, 1, "the penalty falls where a smaller share of the moves does") \
    X(real, penalty_factor, 1.1, 1, 100, "factor by which the penalty rises and falls") \
    X(count, long_sequence, 4096, 0, 1e9, "the best of more steps than this is not copied at once") \
    X(count, copy_part, 64, 1, 1e9, "but after moves of 1/part of its steps") \
    /* Annealing: the moves. */ \
    X(count, insert_sixteenths, 2, 0, 16, "sixteenths of the moves within the budget that insert a recomputation") \
    X(count, remove_sixteenths, 6, 0, 16, "sixteenths of the moves within the budget that remove one") \
    X(count, insert_sixteenths_beyond, 8, 0, 16, \
      "sixteenths of the moves beyond the budget that insert a recomputation") \
    X(count, remove_sixteenths_beyond, 3, 0, 16, "sixteenths of the moves beyond the budget that remove one") \
    X(count, shift_sixteenths, 3, 0, 16, "sixteenths of the moves that shift a step; the others remove and insert") \
    X(count, insert_attempts, 8, 1, 1000, "draws for a recomputation to insert") \
    X(count, aimed_attempts, 6, 0, 1000, "of these draws, those that ask for one across the peak") \
    X(count, remove_attempts, 8, 1, 1000, "draws for a recomputation to remove") \
    X(count, bag_draws, 32, 1, 1e6, "draws from the steps that recompute, some of which are gone") \
    X(real, remove_later_chance, 0.3, 0, 1, "chance that the next computation of an inserted value is removed") \
    X(real, discard_resident_chance, 0.1, 0, 1, "chance that an input is recomputed though it stays until later") \
    X(real, keep_longer_chance, 0.4, 0, 1, "chance that an input is kept longer instead of recomputed") \
    X(count, most_depth, 12, 0, 1000, "generations of inputs that are recomputed with a value") \
    X(count, to_reader_eighths, 2, 0, 4, "eighths of the shifts that go right before the first reader") \
    X(count, to_source_eighths, 2, 0, 4, "eighths of the shifts that go right behind the last source") \
    X(real, far_chance, 0.2, 0, 1, "chance that another shift goes far") \
    X(count, far_steps, 64, 1, 1e9, "steps of a far shift, at most") \
    X(count, near_steps, 6, 1, 1e9, "steps of a shift that does not go far, at most") \
    /* Memetic search. */ \
    X(count, children, 6, 1, 1000, "children of a generation") \
    X(real, child_walk_per_operation, 10, 0, 1e9, "moves of the walk of a child for each operation") \
    X(real, least_child_walk, 1500, 1, 1e9, "moves of the walk of a child, at least") \
    X(real, perturbed_walk, 8, 1, 1e6, "the walk of a perturbed child is so many times as long") \
    X(real, perturbing_moves_per_operation, 3000, 0, 1e9, "with fewer moves for each operation no child is perturbed") \
    X(count, failures_before_perturbing, 12, 0, 1e9, \
      "children in a row no better than their parents before some are perturbed") \
    X(real, perturbing_chance, 0.5, 0, 1, "chance of a perturbed child from then on") \
    X(count, least_patience, 40, 0, 1e9, \
      "children in a row no better than their parents before a restart, of small graphs") \
    X(count, most_patience, 150, 0, 1e9, "the same of large graphs") \
    X(real, rate_memory, 0.95, 0, 1, "weight of earlier children in the success rate of a rule") \
    X(real, least_rate, 0.01, 1e-9, 1, "least success rate of a rule") \
    X(real, first_rate, 0.5, 1e-9, 1, "success rate of the usual rule before it is tried") \
    X(real, second_rate, 0.25, 1e-9, 1, "success rate of the other rule before it is tried") \
    /* Starts of the annealing. */ \
    X(count, most_starts, 6, 1, 1000, "starts of the annealing in all") \
    X(count, most_repaired_starts, 4, 0, 1000, "starts of the annealing by forward repair") \
    X(count, most_repaired_cuts, 5, 0, 1000, "cuts whose choices are repaired to be starts") \
    X(count, repair_work, 60'000, 0, 1e9, "rounds of repair, times operations") \
    X(count, more_repair_rounds, 2, 0, 1e9, "rounds of repair in addition") \
    X(count, repair_large_part, 5, 1, 1e6, \
      "graphs of so many times large_flow are hardly annealed: their starts matter most") \
    X(count, repair_work_large, 900'000, 0, 1e9, "rounds of repair in addition, times operations, of these graphs") \
    X(count, more_repair_rounds_large, 100, 0, 1e9, "rounds of repair in addition, at most, of these graphs") \
    X(count, chained_repair_rounds, 10, 0, 1e9, "rounds of repair of the choice at several cuts") \
    X(count, most_forward_rounds, 100, 0, 1e9, "rounds of one forward repair") \
    X(count, most_forcing_rounds, 12, 0, 1e9, "rounds of one repair by forcing") \
    X(count, repair_subproblems, 20, 0, 1e9, "subproblems of the choice at a cut in one round of repair") \
    X(whole, repair_percent_1, 99, 0, 100, "of the budget for which the choice at a cut is repaired, after all of it") \
    X(whole, repair_percent_2, 98, 0, 100, "the percentage after that") \
    X(whole, repair_percent_3, 96, 0, 100, "the percentage after that") \
    X(whole, repair_percent_4, 94, 0, 100, "the percentage after that") \
    X(whole, repair_percent_5, 92, 0, 100, "the percentage after that") \
    X(whole, repair_percent_6, 90, 0, 100, "the percentage after that") \
    X(whole, repair_percent_7, 87, 0, 100, "the percentage after that") \
    X(whole, repair_percent_8, 84, 0, 100, "the percentage after that") \
    X(whole, repair_percent_9, 80, 0, 100, "the last percentage") \
    X(count, steps_per_operation, 20, 1, 1e6, "steps of a sequence for each operation, at most") \
    X(count, more_steps, 10'000, 0, 1e9, "steps of a sequence in addition") \
    X(count, evicted_sample, 48, 1, 1e9, "values that are compared for an eviction") \
    X(count, most_ancestors, 12, 1, 1e9, "evicted ancestors in the cost of a value") \
    X(count, eviction_rounds, 6, 1, 1000, "runs of greedy eviction with other budgets") \
    X(whole, eviction_slack_part, 2000, 1, 1e9, "these runs end where less than 1/part of the budget is left") \
    X(count, eviction_poll, 256, 1, 1e9, "operations of greedy eviction from one look at the clock to the next") \
    X(count, most_ordered_flow, 5000, 0, 1e9, "operations of graphs whose order of least peak is searched") \
    X(count, order_states, 100'000, 1, 1e9, "states of the search for the order of least peak, at most") \
    X(count, order_work, 50'000'000, 1, 1e12, "states of that search, times operations, at most") \
    /* Work between looks at the clock. */ \
    X(count, polls, 16, 1, 1e9, "looks at the clock in a walk") \
    X(count, least_moves_between_polls, 256, 1, 1e9, "moves from one look to the next, at least") \
    X(count, most_moves_between_polls, 4096, 1, 1e9, "moves from one look to the next, at most") \
    /* One budget: where each stage ends, as a share of the time limit, or its share of the time that is left. */ \
    X(real, order_share, 0.1, 0, 1, "share of the time left for the order of least peak") \
    X(real, baseline_share, 0.5, 0, 1, "share of the time left for each older strategy") \
    X(real, canonical_time_part, 3, 1, 1e9, "1/part of the time left is for the best canonical schedule") \
    X(real, until_evicted, 0.1, 0, 1, "share of the time limit at which greedy eviction ends") \
    X(real, until_one_cut, 0.2, 0, 1, "share of the time limit at which the roots at one cut end") \
    X(real, until_repaired, 0.3, 0, 1, "share of the time limit at which forward repair ends") \
    X(real, until_several, 0.35, 0, 1, "share of the time limit at which the early bound at several cuts ends") \
    X(real, until_several_hard, 0.15, 0, 1, "share of the time limit at which it ends where bounds are hard to raise") \
    X(real, until_max_sat, 0.45, 0, 1, "share of the time limit at which the early bound by clauses ends") \
    X(real, until_evolved, 0.8, 0, 1, "share of the time limit at which the annealing gives way to the late bounds") \
    X(real, until_evolved_hard, 0.6, 0, 1, "share of the time limit at which it does where bounds are hard to raise") \
    X(real, until_exact, 0.35, 0, 1, \
      "share of the time limit at which the exact search ends if the annealing has a start") \
    X(real, exact_end_small, 0.95, 0, 1, \
      "share of the time limit at which the exact search of very small graphs ends if there is a plan") \
    X(real, exact_end_larger, 0.6, 0, 1, "share of the time limit at which that of other graphs does") \
    X(count, exact_small_flow, 40, 0, 1e9, "operations of very small graphs") \
    X(count, hard_least_part, 10, 1, 1e9, "bounds are hard to raise above 1/part of large_flow") \
    X(count, hard_most_part, 2, 1, 1e9, "and up to 1/part of large_flow") \
    /* One budget: arenas, and attempts within less where they are too large. */ \
    X(count, budget_attempts, 4, 1, 1000, "attempts within one budget") \
    X(whole, budget_tolerance_part, 100, 1, 1e9, \
      "these attempts end where the capacity is known to 1/part of the budget") \
    X(count, less_attempts, 8, 0, 1000, "greedy evictions within less where no arena fits") \
    X(real, search_share, 0.95, 0, 1, "share of the time left for the search within one budget") \
    X(real, search_share_with_arena, 0.75, 0, 1, "the same where an arena is made, too, of graphs that are not small") \
    X(count, small_arena_flow, 64, 0, 1e9, "operations of graphs whose arenas take little time") \
    X(real, arena_share, 0.5, 0, 1, "share of the time left for the arena of the best plan") \
    X(real, other_arena_share, 0.1, 0, 1, "share of the time left for the arena of another plan") \
    X(real, least_arena_seconds, 0.01, 0, 1e9, "seconds for an arena in any case") \
    X(real, arena_effort, 0.4, 0, 1e9, \
      "effort of the arenas of graphs up to large_flow, which miss the budget by little") \
    X(real, arena_effort_large, 0.2, 0, 1e9, "effort of the arenas of larger graphs") \
    /* One budget: shares of the usual work where time is not limited. */ \
    X(real, least_canonical_share, 0.1, 0, 1, "share of the work of the best canonical schedule where moves are few") \
    X(real, early_one_cut_share, 0.1, 0, 1, "share of the usual work of the early search at one cut") \
    X(real, several_cuts_share, 2.5, 0, 1000, "share of the usual flows of the early bound at several cuts") \
    X(real, late_several_cuts_share, 1.5, 0, 1000, "share of the usual flows of the late bound at several cuts") \
    X(real, flows_times_operations, 6e6, 0, 1e15, "usual maximum flows, times operations") \
    X(real, flow_operations, 50, 1, 1e9, "operations that a flow costs in any case") \
    X(real, flow_linear_operations, 500, 1, 1e9, "operations beyond which a flow costs their square") \
    /* Exact search of small graphs: states in memory, of about 100 bytes each. */ \
    X(count, most_exact_operations, 64, 0, 64, "operations and values of graphs that are searched exactly, at most") \
    X(count, few_states, 20'000, 0, 1e9, "states in memory, of some 100 bytes each, of the exact search at first") \
    X(count, many_states, 200'000, 0, 1e9, "its states at the second stage, or where there is no plan") \
    X(count, most_states_with_plan, 4'000'000, 0, 1e9, "its states in the end where there is a plan") \
    X(count, most_states, 16'000'000, 0, 1e9, "its states in the end where there is none, and under a time limit") \
    /* One cut. */ \
    X(count, tried_cuts_work, 300'000, 0, 1e9, "cuts that are tried alone, times operations") \
    X(count, least_tried_cuts, 12, 1, 1e9, "cuts that are tried alone, at least") \
    X(count, most_tried_cuts, 150, 1, 1e9, "cuts that are tried alone, at most") \
    X(real, subproblem_work, 1'500'000, 0, 1e15, "subproblems at one cut, times operations") \
    X(real, subproblem_operations, 100, 1, 1e9, "operations that a subproblem costs in any case") \
    X(count, large_cut_flow, 1000, 0, 1e9, "graphs with more operations look at the clock after each flow at one cut") \
    X(count, cut_looks, 8, 1, 1e9, "flows from one look at the clock to the next, of others") \
    X(count, patient_flow, 100, 0, 1e9, \
      "the late search at one cut of smaller graphs goes on though its bound does not rise") \
    X(count, unit_work, 1'000'000, 0, 1e9, "byte units that are tried at a cut, times operations") \
    X(count, least_units, 16, 1, 1e9, "byte units that are tried at a cut, where graphs are large") \
    X(count, unit_sizes, 24, 1, 1e9, "sizes from which byte units are made") \
    X(whole, unit_parts, 12, 1, 1e6, "integer parts of a size that are byte units") \
    X(whole, unit_smallest_part, 200, 1, 1e9, "sizes below 1/part of the largest make no byte unit") \
    X(count, fill_work, 2'000'000, 0, 1e9, "filled choices that are tried, times operations") \
    X(count, least_fill_trials, 20, 0, 1e9, "filled choices that are tried, at least") \
    X(count, most_fill_trials, 400, 0, 1e9, "filled choices that are tried, at most") \
    X(count, multiplier_rounds, 64, 1, 1e9, "maximum flows for the best multiplier of a cut") \
    X(whole, first_multiplier_part, 64, 1, 1e9, "the first multiplier of a cut is 1/part of the highest") \
    /* Disjoint windows. */ \
    X(real, window_share, 0.999, 0, 1, "share of the most live bytes that the values of a window have at its cut") \
    X(count, window_attempts, 8, 1, 1000, "budgets within which the windows choose") \
    X(real, window_step, 0.995, 0, 1, "one budget at most, as a share of the one before") \
    /* Several cuts. */ \
    X(count, root_steps, 30, 1, 1e9, "steps of the dual ascent of a chain of cuts") \
    X(count, trial_steps, 10, 1, 1e9, "steps of the dual ascent of a chain that is tried") \
    X(count, node_steps, 6, 1, 1e9, "steps of the dual ascent of a subproblem") \
    X(real, kept_memory, 0.8, 0, 1, "weight of earlier solutions in how often a value is kept") \
    X(real, ascent_patience, 0.9, 0, 1, "factor by which steps shrink where the value does not rise") \
    X(real, ascent_most_part, 8, 1, 1e9, "a step aims at 1/part of the time of everything once, at most") \
    X(real, ascent_highest, 2, 1e-9, 1e9, "the highest multiplier, in times of everything once") \
    X(real, fraction_above_one, 1.001, 1, 2, \
      "a value kept in a share x of solutions is branched on by x · (this - x)") \
    X(real, branching_gain, 0.05, 0, 1, "least part of the gap due to a value or run that is branched on") \
    X(whole, settled_part, 50, 1, 1e9, "branching is over where it can close 1/part of the gap") \
    X(count, most_cuts, 8, 1, 100, "cuts of a chain") \
    X(count, branch_part, 6, 1, 1e9, "1/part of the work that is left is for branching before the chain grows") \
    X(count, settle_part, 3, 1, 1e9, "1/part of it is for branching before cuts are tried") \
    X(count, trial_part, 2, 1, 1e9, "1/part of it is for cuts that are tried") \
    X(count, trial_roots_part, 3, 2, 1e9, "1/part of that is for their roots") \
    X(count, violated_trials, 3, 1, 1000, "violated cuts that are tried at once") \
    X(count, violated_part, 4, 1, 1e9, "1/part of the work that is left is for all of these") \
    X(whole, trials_by_bound, 4, 0, 1e9, "chains that go on for their bound") \
    X(whole, trials_by_estimate, 12, 0, 1e9, "chains that go on for their estimate") \
    /* Clauses. */ \
    X(count, most_literals, 20'000, 0, 1e9, "cuts of the clauses, times operations") \
    X(whole, loose_cut_part, 4, 1, 1e9, \
      "clauses leave out cuts with more than 1 - 1/part of the budget for checkpoints") \
    X(real, usual_max_sat_work, 20'000'000, 0, 1e15, "work of the solver of clauses where time is not limited") \
    X(real, least_max_sat_share, 0.1, 0, 1, "share of the time limit that clauses get in any case") \
    X(count, first_core_check, 2'000'000, 1, 1e9, "work on clauses before its progress is judged") \
    X(count, little_core_work, 10'000'000, 0, 1e9, "work on clauses that goes on near the known bound") \
    X(whole, near_core_part, 3, 1, 1e9, "their bound is near where 1/part of the known one is missing") \
    X(whole, leading_part, 8, 1, 1e9, "clauses lead where they close 1/part of the gap") \
    /* Older strategies. */ \
    X(whole, tiny_budget_part, 16, 1, 1e9, "budgets below 1/part of the peak are tiny") \
    X(count, most_saved_flow, 1000, 0, 1e9, \
      "operations of graphs of which save_set is tried where nested separators have a plan") \
    X(count, most_baseline_flow, 3000, 0, 1e9, "operations of training graphs of which older strategies are tried") \
    X(real, greedy_seconds, 0.05, 0, 1e9, "seconds that must be left for greedy_eviction") \
    X(real, chain_seconds, 0.5, 0, 1e9, "seconds that must be left for chain_plan") \
    X(real, save_set_seconds_of_pair, 1e-7, 0, 1, \
      "seconds that must be left for save_set, for each pair of operations") \
    X(count, most_divided_flow, 30'000, 0, 1e9, "operations of graphs of which nested separators are tried") \
    X(real, divided_seconds_per_operation, 1e-4, 0, 1, \
      "seconds that must be left for nested separators, for each operation") \
    X(real, divided_per_second, 150'000, 1, 1e9, \
      "computations of a plan by nested separators, for each second of a limit") \
    X(count, divided_per_operation, 100, 1, 1e9, "computations of a plan by nested separators, for each operation") \
    X(count, divided_more_operations, 1000, 0, 1e9, "operations in addition for which it may have computations") \
    X(count, most_canonical_flow, 600, 0, 1e9, "operations of graphs of which the best canonical schedule is tried") \
    X(count, most_canonical_lower_sets, 20'000, 0, 1e9, "lower sets of graphs of which it is tried") \
    X(real, canonical_segments, 1'000'000, 0, 1e9, "segments of its search, of the whole work") \
    X(real, canonical_labels, 500'000, 0, 1e9, "labels of its search, of the whole work") \
    X(whole, canonical_resolution, 100'000, 1, 1e9, "parts of the time to which it is found") \
    /* Policies. */ \
    X(count, policy_attempts, 6, 1, 1000, "plans with more and more copies of operations that must run again") \
    X(real, policy_share, 0.5, 0, 1, "share of the time left for one of these plans") \
    X(real, last_policy_share, 0.9, 0, 1, "share of the time left for the last of these plans") \
    X(real, policy_time_part, 2, 1, 1000, "1/part of the time limit is for plans without policies and their bound") \
    /* Copies to the host: the order of work, as shares of the time limit. */ \
    X(real, without_copies_share, 0.35, 0, 1, "share of the time limit of plans without copies") \
    X(real, until_only_copies, 0.2, 0, 1, "share of the time limit at which greedy copies end") \
    X(real, until_exact_swaps, 0.6, 0, 1, "share of the time limit at which the exact search with copies ends") \
    X(real, until_remade, 0.5, 0, 1, "share of the time limit at which starts with copies from two orders end") \
    X(real, until_swap_bounds, 0.6, 0, 1, \
      "share of the time limit at which bounds with copies, and starts from these, end") \
    X(real, until_descended, 0.95, 0, 1, "share of the time limit at which the descent ends") \
    X(real, swap_starts_share, 0.6, 0, 1, "share of the time left for the annealing of all starts with copies") \
    X(count, swap_attempts, 3, 1, 1000, "attempts with copies within less where arenas are too large") \
    X(real, swap_arena_share, 0.1, 0, 1, "share of the time left for the arena of a plan with copies") \
    X(real, swap_arena_effort, 0.2, 0, 1e9, "effort of the arena of a plan with copies") \
    /* Copies to the host: the search. */ \
    X(count, large_swapped_flow, 1500, 0, 1e9, "operations beyond which greedy decisions take too long") \
    X(count, swap_moves_per_operation, 200, 1, 1e9, "moves of the annealing with copies for each operation, at least") \
    X(count, swapped_operations, 20'000'000, 0, 1e12, \
      "operations times moves of the annealing with copies, at least: small graphs get more moves") \
    X(count, best_swap_moves_part, 2, 1, 1e9, "1/part of these moves goes on from the best plan with copies") \
    X(real, swap_temperature, 1e-4, 1e-12, 1000, \
      "temperature at the beginning of a walk with copies, in times of everything once, as the next") \
    X(real, best_swap_temperature, 3e-5, 1e-12, 1000, \
      "temperature at the beginning of the walk from the best plan with copies") \
    X(real, cold_swap_temperature, 1e-6, 1e-12, 1000, "temperature at the end of a walk with copies") \
    X(real, hottest_swap_temperature, 1e-3, 1e-12, 1000, \
      "temperature at the beginning of every second walk; beyond it, those of rounds of walks begin anew") \
    X(real, swap_heating, 2, 1, 1000, "factor by which temperatures rise from round to round") \
    X(real, least_swap_price, 1e-4, 0, 1000, \
      "least price of the whole excess over the budget, in times of everything once") \
    X(real, first_swap_weight, 3, 0, 1e6, \
      "price of a byte beyond the budget at the beginning of a walk with copies, in usual prices") \
    X(real, last_swap_weight, 20, 0, 1e6, "the same at the end") \
    X(count, swap_poll, 64, 1, 1e9, "moves with copies from one look at the clock to the next") \
    X(count, stay_sixteenths, 1, 0, 16, \
      "sixteenths of the moves that change whether a value stays when it is used between") \
    X(count, exchange_sixteenths, 5, 0, 16, "sixteenths of the moves that exchange two choices; the others draw one") \
    X(count, producer_sixteenths, 4, 0, 16, \
      "sixteenths of the moves that draw the choices of a gap and of what the producer of its value reads") \
    X(count, exchange_attempts, 8, 1, 1000, "draws for two choices that differ") \
    X(count, most_swap_starts, 8, 1, 1000, "starts with copies that are annealed") \
    X(count, most_greedy_gaps, 96, 1, 1e9, "gaps that a greedy step with copies tries") \
    X(count, remade_parts, 16, 1, 1e9, "parts of the remade gaps that are tried, then parts of these") \
    X(count, most_tried_gaps, 4000, 0, 1e9, "gaps that the descent tries") \
    X(real, first_remade_price, 1e-4, 1e-12, 1, \
      "first price of memory at which gaps are remade, in times of everything once") \
    X(real, remade_price_factor, 1.3, 1.001, 1000, "factor from one such price to the next") \
    X(count, swap_steps_per_operation, 8, 1, 1e6, "computations of a plan with copies for each operation, at most") \
    X(count, more_swap_steps, 64, 1, 1e9, "computations of a plan with copies in addition") \
    X(count, exact_swap_operations, 24, 0, 64, "operations of graphs that are searched exactly with copies, at most") \
    X(count, exact_swap_values, 24, 0, 64, \
      "values with bytes of graphs that are searched exactly with copies, at most") \
    X(count, exact_swap_work, 500'000, 0, 1e9, "work of the exact search with copies") \
    X(count, exact_swap_work_per_move, 100, 1, 1e9, "the same for each move where moves are given") \
    /* Copies to the host: bounds. */ \
    X(count, swap_cuts_work, 20'000, 0, 1e9, "cuts at which plans with copies are bounded, times operations") \
    X(count, least_swap_cuts, 4, 1, 1e9, "cuts at which plans with copies are bounded, at least") \
    X(count, most_swap_cuts, 40, 1, 1e9, "cuts at which plans with copies are bounded, at most") \
    X(count, most_swap_bounds, 4, 1, 1000, "of these cuts, those whose bounds are raised further") \
    X(count, first_swap_steps, 60, 0, 1e9, "steps of the subgradients at each cut with copies") \
    X(count, further_swap_steps, 400, 0, 1e9, "steps of the subgradients at the best of them") \
    X(count, least_further_swap_steps, 20, 0, 1e9, "the same where moves are few") \
    X(count, most_swap_windows, 4000, 0, 1e9, "operations of graphs whose windows of copies count ancestors") \
    X(count, swap_windows, 24, 1, 1000, "windows of copies in each direction") \
    X(real, swap_step, 0.5, 1e-9, 2, "length of a step with copies, as a share of what is missing") \
    X(real, swap_step_divisor, 2, 1, 1000, "divisor by which that length shrinks") \
    X(count, swap_patience, 20, 0, 1e9, "steps without gain before it shrinks") \
    X(real, least_swap_gain, 1e-4, 0, 1, "share of the target that is a gain") \
    X(real, swap_deflection, 1.5, 0, 2, "part of the last step that is taken from one that would go back on it") \
    X(real, scan_above_part, 1000, 1, 1e9, \
      "the scan of multipliers begins 1/part of the time of everything once above the target") \
    X(real, scan_least, 1e-4, 1e-12, 1, "it ends at this share of the time of everything once") \
    X(real, scan_factor, 1.6, 1.001, 1000, "factor from one multiplier of the scan to the next") \
    X(real, scan_tie, 0.9, 0, 1, "price of copying in prices of holding that the scan tries beside 0 and 1") \
    X(real, scan_copies_out, 0.5, 0, 1, \
      "share of copies out in the price of copying that the scan tries beside 0 and 1") \
    X(real, scan_scale, 4, 0, 1e6, "multipliers of the scan in its prices")
// clang-format on

namespace repebble::inline v0 {

/// All constants of the planner, with their defaults. `effort_constants` has range and sentence of each. Results with
/// other values than the defaults are plans and bounds all the same: only their quality and their time change.
struct effort {
    using real = double;
    using count = std::size_t;
    using whole = std::int64_t;

#define REPEBBLE_EFFORT_MEMBER(type, name, usual, least, most, sentence) type name = usual;
    REPEBBLE_EFFORT(REPEBBLE_EFFORT_MEMBER)
#undef REPEBBLE_EFFORT_MEMBER

    friend auto operator==(effort const&, effort const&) -> bool = default;
};

/// One constant: its name, the member, what it is by default, its range and what it says.
struct effort_constant {
    std::string_view name;
    std::variant<double effort::*, std::size_t effort::*, std::int64_t effort::*> member;
    double usual, least, most;
    std::string_view sentence;

    /// Whether it takes whole numbers only.
    [[nodiscard]] constexpr auto is_whole() const noexcept -> bool { return member.index() != 0; }
    /// Its value in `e`.
    [[nodiscard]] constexpr auto of(effort const& e) const -> double {
        return std::visit([&](auto const member_of) { return static_cast<double>(e.*member_of); }, member);
    }
};

/// All of them, in the order of the members.
inline constexpr auto effort_constants = std::to_array<effort_constant>({
#define REPEBBLE_EFFORT_ROW(type, name, usual, least, most, sentence) \
    {#name, &effort::name, usual, least, most, sentence},
    REPEBBLE_EFFORT(REPEBBLE_EFFORT_ROW)
#undef REPEBBLE_EFFORT_ROW
});
#undef REPEBBLE_EFFORT

/// Sets the constant of that name.  O(constants).  Throws bad_option where there is none, naming the nearest, and where
/// the value is out of its range, naming both.
void set_effort(effort& e, std::string_view name, double value);

/// Throws bad_option, naming the first constant that is out of its range.  O(constants).
void verify_effort(effort const& e);

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/effort.ipp>
#endif

#endif
