#ifndef REPEBBLE_RECOMPUTE_LEAST_PEAK_PLAN_HPP
#define REPEBBLE_RECOMPUTE_LEAST_PEAK_PLAN_HPP

// The plan of inference on small devices: every operation once, in the order of least peak. B. H. Ahn et al.: Ordering
// chaos: memory-aware scheduling of irregularly wired neural networks for edge devices (Serenity, 2020).

#include <repebble/graph/training/problem.hpp>
#include <repebble/orders/find_least_peak_order.hpp>
#include <repebble/recompute/recompute_plan.hpp>

namespace repebble::inline v0 {

/// Plan without recomputation, in the order of `find_least_peak_order`. Where its peak exceeds a budget, the automatic
/// planner recomputes. Takes and throws what that takes and throws.
[[nodiscard]] auto least_peak_plan(problem const& p, order_options const& options = {}) -> recompute_plan<>;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/recompute/least_peak_plan.ipp>
#endif

#endif
