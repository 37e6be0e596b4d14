#ifndef REPEBBLE_RECOMPUTE_KEEP_ALL_HPP
#define REPEBBLE_RECOMPUTE_KEEP_ALL_HPP

// The baseline of every strategy: no recomputation. Each operation runs at most once and each value stays resident
// until its last reader, as frameworks do by default; budgets and overheads are measured against this plan.

#include <repebble/graph/training/problem.hpp>
#include <repebble/recompute/recompute_plan.hpp>

namespace repebble::inline v0 {

/// Plan without recomputation, of a dataflow or a problem: every operation once, in index order, every value until
/// its last use; of alternative producers those that add least time, and what nobody needs then does not run. In a
/// built training graph that is the forward pass, then the backward pass in reverse. Its peak,
/// `keep_all(flow).cost.peak`, is that of which budgets in per cent are shares. O((n + m) log n).
[[nodiscard]] auto keep_all(dataflow const& flow) -> recompute_plan<>;
/// The same of a problem.
[[nodiscard]] inline auto keep_all(problem const& p) -> recompute_plan<> { return keep_all(p.flow()); }

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/recompute/keep_all.ipp>
#endif

#endif
