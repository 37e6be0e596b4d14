#ifndef REPEBBLE_RECOMPUTE_FORGET_ALL_HPP
#define REPEBBLE_RECOMPUTE_FORGET_ALL_HPP

// The memory-poor strategy (Bulatov 2018): keeps no checkpoint and recomputes all ancestors before each gradient. The
// other end of the trade-off from keep_all: little memory, quadratic time. Operations that may run only once are
// exceptions: their results stay resident.

#include <cstddef>

#include <repebble/graph/training/training_graph.hpp>
#include <repebble/recompute/recompute_plan.hpp>

namespace repebble::inline v0 {

namespace detail {

inline constexpr std::size_t most_steps_without_memory = 4'000'000;

}  // namespace detail

/// Plan that discards every forward value after its last reader, and before each gradient recomputes the ancestors that
/// it needs, in topological order, with liveness. Little memory on a chain; O(n²) steps and time. Throws limit_reached
/// beyond `step_limit` computations.
[[nodiscard]] auto forget_all(training_graph const& training,
                              std::size_t step_limit = detail::most_steps_without_memory) -> recompute_plan<>;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/recompute/forget_all.ipp>
#endif

#endif
