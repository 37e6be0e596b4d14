#ifndef REPEBBLE_RECOMPUTE_BUDGET_OPTIONS_HPP
#define REPEBBLE_RECOMPUTE_BUDGET_OPTIONS_HPP

// Options of the strategies that need no more than a budget: save_set, greedy_eviction, and the short forms of
// segment_plan and chain_plan.

#include <optional>

#include <repebble/graph/quantity.hpp>
#include <repebble/lower_sets/objective.hpp>

namespace repebble::inline v0 {

/// Budget and objective of a strategy.
struct budget_options {
    std::optional<bytes> budget{};     ///< bytes of values and gradients; none: the least attainable
    objective goal = objective::time;  ///< memory: the least peak, which must fit the budget
    bool nearest = false;              ///< where no plan fits, return the one nearest to the budget
};

}  // namespace repebble::inline v0

#endif
