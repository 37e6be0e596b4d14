#ifndef REPEBBLE_RECOMPUTE_RECOMPUTE_PLAN_HPP
#define REPEBBLE_RECOMPUTE_RECOMPUTE_PLAN_HPP

// The result of every strategy: a schedule of the training graph with its replayed cost. Invariant: the schedule is
// legal (the replay accepted it), and `cost` is that of its replay.

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/lower_sets/formula_result.hpp>
#include <repebble/pebbling/replay_result.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble::inline v0 {

/// Result of a strategy: a legal schedule, its cost by replay, and what the strategy knows of it besides. Members that
/// a strategy does not speak of have their default value.
template <class Vertex = operation_index>
struct recompute_plan {
    repebble::schedule<Vertex> schedule{};    ///< computations and discards
    replay_result cost{};                     ///< of the schedule, by replay
    std::size_t segments = 0;                 ///< into which the forward pass is cut: segments, stages or lower sets
    std::optional<formula_result> formula{};  ///< of lower sets: formulas (1) and (2), where they apply
    std::size_t lower_sets = 0;               ///< number of lower sets searched
    /// Of lower sets: proven distance of the overhead from the best, as a share of the forward time. By the formulas:
    /// from the best of the family that was searched; over all lower sets: from the best of all. Judged by replay: the
    /// replayed overhead among plans by canonical schedules; where `best_canonical` does not apply: by the formulas, at
    /// the formula budget that was chosen.
    double epsilon = 0;
    bytes peak_bound = 0;    ///< of an order of least peak: no schedule that runs everything once has a lower peak
    std::size_t width = 0;   ///< of separators: the width of the tree decomposition
    std::size_t levels = 0;  ///< of separators that lie in one another: at most ⌊log₂ n⌋ + 1 of n operations
    bytes promise = 0;       ///< of separators: a bound on the peak that was known before the replay

    friend auto operator==(recompute_plan const&, recompute_plan const&) -> bool = default;
};

/// The same plan in terms of other vertices: f(vertex) for every vertex. O(steps).
template <class Vertex, class F>
[[nodiscard]] auto map_vertices(recompute_plan<Vertex> const& from, F&& f) {
    using target = std::remove_cvref_t<decltype(f(std::declval<Vertex const&>()))>;
    return recompute_plan<target>{.schedule = map_vertices(from.schedule, f),
                                  .cost = from.cost,
                                  .segments = from.segments,
                                  .formula = from.formula,
                                  .lower_sets = from.lower_sets,
                                  .epsilon = from.epsilon,
                                  .peak_bound = from.peak_bound,
                                  .width = from.width,
                                  .levels = from.levels,
                                  .promise = from.promise};
}

}  // namespace repebble::inline v0

#endif
