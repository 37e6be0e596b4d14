#ifndef REPEBBLE_PLANNER_DETAIL_ANNEALING_PARALLEL_WALKS_HPP
#define REPEBBLE_PLANNER_DETAIL_ANNEALING_PARALLEL_WALKS_HPP

// Independent annealing walks on several threads with one deterministic result: a stage is a list of cooling schedules,
// each of cooling runs and with its own seeds, and results are in their order. Used by `annealing_search`.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/planner/detail/annealing/move_rules.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>

namespace repebble::inline v0::detail {

class annealer;

/// One walk of the annealer.
struct cooling_run {
    std::optional<std::vector<operation_index>> start;  ///< nothing: the best so far
    temperature_range temperatures;
    double share;  ///< share of all moves, and of the time
    move_rules rules{};
    bool explores = false;  ///< in its first half only sequences faster than its start are kept
};
/// Runs one after the other, each from the best sequence of those before.
using cooling_schedule = std::vector<cooling_run>;
/// Independent schedules, each from the best sequence of the stage before.
using annealing_stage = std::vector<cooling_schedule>;

/// Returns the share of all moves that the stage makes.
[[nodiscard]] auto stage_share(annealing_stage const& stage) -> double;

/// Anneals from `start` by the options of the run, for so many moves or seconds; calls poll(walk, share) now and then,
/// and ends when that returns true.
void anneal(planning_model const& m, std::vector<operation_index> const& start, bytes budget, std::uint64_t seed,
            cooling_run const& run, std::size_t moves, std::optional<double> seconds,
            function_ref<bool(annealer const&, double)> poll);

/// The fastest sequence within the budget that one cooling schedule met; nothing where it met none.
struct walked_sequence {
    std::optional<std::vector<operation_index>> computations{};
    std::int64_t time = std::numeric_limits<std::int64_t>::max();
};

/// Limits of the walks of a stage.
struct walk_limits {
    std::size_t moves = 0;                 ///< of all stages together
    std::optional<double> seconds{};       ///< of all stages together
    std::optional<double> seconds_left{};  ///< from now on
    std::uint64_t seed = 1;                ///< of the first walk; each other walk has the next one
    std::size_t threads = 1;
};

/// The results of a stage.
struct walk_results {
    std::vector<walked_sequence> found{};  ///< by cooling schedule of the stage
    double share = 0;                      ///< of all moves: those that were made, or that a time limit saved
};

/// Runs the cooling schedules of a stage, each from `start` unless its runs name another. The result does not depend on
/// the number of threads. Where is_enough(time) holds for a sequence, later schedules end, and their results are left
/// out. look(time, share) is called on the calling thread only, now and then, with the best time of that thread and the
/// share of the stage that is done; it returns whether to stop.
[[nodiscard]] auto run_walks(planning_model const& m, bytes budget, annealing_stage const& stage,
                             std::vector<operation_index> const& start, walk_limits const& asked,
                             function_ref<bool(std::int64_t)> is_enough, function_ref<bool(std::int64_t, double)> look)
    -> walk_results;

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/annealing/parallel_walks.ipp>
#endif

#endif
