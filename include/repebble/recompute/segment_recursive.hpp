#ifndef REPEBBLE_RECOMPUTE_SEGMENT_RECURSIVE_HPP
#define REPEBBLE_RECOMPUTE_SEGMENT_RECURSIVE_HPP

// Recursive segments: T. Chen, B. Xu, C. Zhang, C. Guestrin 2016, section 4.4. The division gives mirror counts (the
// level of each part), and `detail/segments/mirrored_sequence.hpp` makes the schedule. O(log n) memory on chains.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <repebble/graph/training/problem.hpp>
#include <repebble/recompute/mirror.hpp>
#include <repebble/recompute/plan_mirrors.hpp>
#include <repebble/recompute/planning_graph.hpp>
#include <repebble/recompute/recompute_plan.hpp>

namespace repebble::inline v0 {

/// Options of recursive segments.
struct recursion_options {
    std::size_t kept = 1;                                          ///< k: number of cuts that divide each part
    std::size_t levels = std::numeric_limits<std::size_t>::max();  ///< greatest depth; 1: segments only
    segment_candidates candidates{};                               ///< where parts may be divided
    order_rule order = order_rule::by_index;                       ///< of the forward operations
};

/// Plan by recursive segments. The forward pass is divided at `kept` cuts, by bytes. The values at the cuts are kept,
/// and each part is divided alike when its gradients run, down to parts without a cut. The last part of each is not
/// dropped, as nothing runs between it and its gradients. This is Algorithm 2 (`mirror`) with the level of the part as
/// count. Where articulation points are not enough and the kind of cuts is automatic, every position of the order is a
/// candidate, with all values that cross it; the plan by articulation points is returned where its peak is less. Of k
/// towers side by side each part keeps k values; in depth-first order they run one after the other.
///
/// On a chain of n equal vertices, with gradients that read inputs: for k = 1 and n a power of two the peak is log₂ n +
/// 2, with n (log₂ n - 2) / 2 + 1 recomputations; for any k the peak is at most k ⌈log_{k+1} n⌉ + 2, which is equation
/// (3) and the two gradients. O((n + m) log n + n
/// · levels + computations log n), with at most about log n levels where sizes are alike. Throws bad_graph where there
/// are no gradients or a candidate is no forward operation, and limit_reached where counts sum to more than 10⁸.
/// Requires: kept >= 1.
[[nodiscard]] auto segment_recursive(problem const& p, recursion_options const& options = {}) -> recompute_plan<>;

/// The mirror counts of that plan, by operation, for `mirror`.
[[nodiscard]] auto find_recursive_counts(problem const& p, recursion_options const& options = {})
    -> std::vector<std::uint32_t>;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/recompute/segment_recursive.ipp>
#endif

#endif
