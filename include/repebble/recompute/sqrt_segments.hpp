#ifndef REPEBBLE_RECOMPUTE_SQRT_SEGMENTS_HPP
#define REPEBBLE_RECOMPUTE_SQRT_SEGMENTS_HPP

// The √n rule: T. Chen, B. Xu, C. Zhang, C. Guestrin 2016, Algorithm 1. Segments of about √n operations, cut at
// articulation points, or where these are not enough at several vertices. Needs no budget and no search; the segment
// search uses it as its first trial.

#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/never_stop.hpp>
#include <repebble/graph/training/problem.hpp>
#include <repebble/recompute/planning_graph.hpp>
#include <repebble/recompute/recompute_plan.hpp>

namespace repebble::inline v0 {

namespace detail {

/// Returns the sequence of lower sets that end at articulation points at least √n vertices apart, and V.
[[nodiscard]] auto sqrt_sequence(lower_set_problem const& problem) -> lower_set_sequence;

/// Returns the sequence of at most √n operations a segment, in an order, of which the fewest bytes cross the cuts.
[[nodiscard]] auto sqrt_sequence(planning_graph const& graph, std::span<std::uint32_t const> order)
    -> lower_set_sequence;

/// Of the cuts at articulation points, and where these are not enough of those at several vertices in two orders, the
/// sequence and plan of least peak. Of more than 10⁵ operations: from when stop() returns true on
/// no further one; nothing where it does so before the first.
[[nodiscard]] auto best_sqrt_segments(planning_graph const& graph, stop_test stop = never_stop{})
    -> std::optional<std::pair<lower_set_sequence, recompute_plan<>>>;

}  // namespace detail

/// Plan of segments of about √n operations, cut at articulation points of the forward graph. Values that a later
/// segment reads are kept, the others recomputed: O(√n) memory on a chain, for one more forward pass. Where a part
/// between articulation points has more than 16 and 2 √n operations, positions of the orders by index and depth first
/// are cuts, too, each with the values that cross it, and the plan of least peak is taken: O(√n) on k towers, one after
/// the other, and k more. Takes no budget; the plan's `segments` is their number. O(n √n + m). Throws
/// bad_graph where the problem has no gradients, or
/// where control edges or mutations among forward operations forbid the order of the segments.
[[nodiscard]] auto sqrt_segments(problem const& p) -> recompute_plan<>;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/recompute/sqrt_segments.ipp>
#endif

#endif
