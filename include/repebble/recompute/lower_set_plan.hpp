#ifndef REPEBBLE_RECOMPUTE_LOWER_SET_PLAN_HPP
#define REPEBBLE_RECOMPUTE_LOWER_SET_PLAN_HPP

// The result of strategies by lower sets (Kusumoto et al. 2019): lower_set_exact, lower_set_approximate,
// lower_set_exhaustive and sqrt_segments. The plan follows one sequence of lower sets.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include <repebble/lower_sets/evaluate_formula.hpp>
#include <repebble/recompute/segmented_plan.hpp>

namespace repebble::inline v0 {

/// A plan by a sequence of lower sets, and the proof of its quality. `segments` is the length of the sequence.
template <class Vertex = operation_index>
struct lower_set_plan : segmented_plan<Vertex> {
    std::optional<formula_result> formula{};        ///< formulas (1) and (2), where they apply
    std::size_t lower_sets = 0;                     ///< number of lower sets searched; 0: no search
    /// Proven distance of the overhead from the best, as a share of the forward time. By the formulas: from the best of
    /// the family that was searched; by `lower_set_exact`: from the best of all lower sets. Judged by replay where
    /// `best_canonical` applies: the replayed overhead among plans by canonical schedules; elsewhere: by the formulas,
    /// at the formula budget that was chosen.
    double epsilon = 0;

    friend auto operator==(lower_set_plan const&, lower_set_plan const&) -> bool = default;
};

/// The same plan in terms of other vertices: f(vertex) for every vertex. O(steps).
template <class Vertex, class F>
[[nodiscard]] auto map_vertices(lower_set_plan<Vertex> const& from, F&& f) {
    using target = std::remove_cvref_t<decltype(f(std::declval<Vertex const&>()))>;
    segmented_plan<Vertex> const& base = from;
    return lower_set_plan<target>{map_vertices(base, f), from.formula, from.lower_sets, from.epsilon};
}

}  // namespace repebble::inline v0

#endif
