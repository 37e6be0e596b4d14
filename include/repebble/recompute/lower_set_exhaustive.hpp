#ifndef REPEBBLE_RECOMPUTE_LOWER_SET_EXHAUSTIVE_HPP
#define REPEBBLE_RECOMPUTE_LOWER_SET_EXHAUSTIVE_HPP

// Exhaustive search over sequences of lower sets (Kusumoto et al. 2019, section 4.1): the reference that tests compare
// the other lower-set strategies with on small graphs. Shares no search code with them.

#include <cstddef>
#include <optional>

#include <repebble/graph/training/training_graph.hpp>
#include <repebble/recompute/lower_set_plan.hpp>
#include <repebble/recompute/lower_set_plan_options.hpp>

namespace repebble::inline v0 {

namespace detail {

inline constexpr std::size_t most_steps_of_all_sequences = 10'000'000;

}  // namespace detail

/// The best plan over every increasing sequence of lower sets, by depth-first search. Exact in the objective of the
/// options: formulas (1) and (2), or the replayed schedules, in which views are made again with their owner (a plan is
/// without those that nobody reads then). O(#L^n): for small graphs. Returns nothing where no plan fits. Throws
/// limit_reached beyond the limits.
[[nodiscard]] auto lower_set_exhaustive(training_graph const& training, lower_set_plan_options const& options = {},
                                        std::size_t step_limit = detail::most_steps_of_all_sequences)
    -> std::optional<lower_set_plan<>>;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/recompute/lower_set_exhaustive.ipp>
#endif

#endif
