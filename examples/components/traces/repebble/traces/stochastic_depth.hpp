#ifndef REPEBBLE_TRACES_STOCHASTIC_DEPTH_HPP
#define REPEBBLE_TRACES_STOCHASTIC_DEPTH_HPP

// Networks whose structure changes from iteration to iteration (stochastic depth, Huang et al. 2016; Chen, section 5;
// point 29): the full network is planned once, and in an iteration that drops blocks the rows that do not occur are
// void.
// Invariant: where the plan of the full network fits, so does that of every iteration, whatever it drops.

#include <cstddef>
#include <vector>

#include <repebble/traces/judged_swaps.hpp>
#include <repebble/traces/simulate_swaps.hpp>
#include <repebble/traces/swap_problem.hpp>
#include <repebble/traces/trace.hpp>

namespace repebble::inline v0 {

/// An iteration in which some computations do not occur, under the plan of the full one.
struct shortened_iteration {
    repebble::trace trace{};            ///< variables have the numbers of the full trace; void ones have size 0
    swap_plan plan{};                   ///< of the reuse intervals of this trace
    swap_result result{};               ///< of that plan
    std::vector<std::size_t> row_of{};  ///< of every row: its row in the full trace
};

/// An iteration without the computations that are dropped, under the plan of the full one. What they read and wrote
/// does not occur; a variable that only they wrote has no memory, and what is left does not read it; other variables
/// have memory between their first and last use that occurs. A reuse interval is offloaded if a part of it was in the
/// full plan; removals become offloads where computing again would not fit. Where the full plan fits the limit, so does
/// this one.  O(rows · log rows), the square of each variable's intervals, and up to three simulations.  Throws
/// bad_option where there is not one answer for each computation, bad_trace where a variable of the full trace mallocs
/// twice, and as `simulate_swaps`.
[[nodiscard]] auto without_computations(swap_problem const& full, swap_plan const& plan,
                                        std::vector<bool> const& is_dropped, swap_options const& options)
    -> shortened_iteration;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/traces/stochastic_depth.ipp>
#endif

#endif
