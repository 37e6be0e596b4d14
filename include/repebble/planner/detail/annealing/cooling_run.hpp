#ifndef REPEBBLE_PLANNER_DETAIL_ANNEALING_COOLING_RUN_HPP
#define REPEBBLE_PLANNER_DETAIL_ANNEALING_COOLING_RUN_HPP

// One cooling run of the annealer: start, temperatures, share of the work, move rules. Stages (`cooling_plan.hpp`) are
// made of such runs, and `parallel_walks.hpp` runs a stage on several threads.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/planner/detail/annealing/move_rules.hpp>
#include <repebble/planner/detail/annealing/temperature_range.hpp>
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

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/annealing/cooling_run.ipp>
#endif

#endif
