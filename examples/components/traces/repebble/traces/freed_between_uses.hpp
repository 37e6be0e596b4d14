#ifndef REPEBBLE_TRACES_FREED_BETWEEN_USES_HPP
#define REPEBBLE_TRACES_FREED_BETWEEN_USES_HPP

// The way to times of an iteration that does not fit (Chen, section 4.7; point 27): variables are freed after each use
// and have memory again before the next. What is computed then is wrong, but takes the right time.

#include <repebble/graph/quantity.hpp>
#include <repebble/traces/swap_problem.hpp>
#include <repebble/traces/trace.hpp>

namespace repebble::inline v0 {

/// The trace in which each variable of at least so many bytes is freed at the beginning of each of its reuse intervals
/// and mallocs again at its end: its peak is the least that any plan can reach by swapping, its times are the same.
/// Frees and mallocs take no time (a memory pool).  O(rows + intervals log intervals).
[[nodiscard]] auto freed_between_uses(swap_problem const& problem, bytes least = 0) -> trace;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/traces/freed_between_uses.ipp>
#endif

#endif
