#ifndef REPEBBLE_RECOMPUTE_FORGET_ALL_HPP
#define REPEBBLE_RECOMPUTE_FORGET_ALL_HPP

// The memory-poor strategy (Bulatov 2018): keeps no checkpoint and recomputes all ancestors before each gradient. The
// other end of the trade-off from keep_all: little memory, quadratic time. Operations that may run only once are
// exceptions: their results stay resident.

#include <repebble/graph/limits.hpp>
#include <repebble/graph/training/problem.hpp>
#include <repebble/recompute/recompute_plan.hpp>

namespace repebble::inline v0 {

/// Plan that discards every forward value after its last reader, and before each gradient recomputes the ancestors that
/// it needs, in topological order, with liveness. Little memory on a chain; O(n²) steps and time. Throws limit_reached
/// beyond `work` computations (4 · 10⁶), or where another limit ends it, bad_graph where the problem has no gradients.
[[nodiscard]] auto forget_all(problem const& p, limits const& within = {}) -> recompute_plan<>;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/recompute/forget_all.ipp>
#endif

#endif
