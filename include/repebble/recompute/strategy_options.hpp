#ifndef REPEBBLE_RECOMPUTE_STRATEGY_OPTIONS_HPP
#define REPEBBLE_RECOMPUTE_STRATEGY_OPTIONS_HPP

// Options that most strategies share.

#include <cstddef>

#include <repebble/graph/limits.hpp>
#include <repebble/lower_sets/objective.hpp>

namespace repebble::inline v0 {

/// Options of a strategy.
struct strategy_options {
    objective goal = objective::time;  ///< memory: the least peak, which must fit the budget
    bool nearest = false;              ///< where no plan fits, return the one nearest to the budget
    repebble::limits limits{};         ///< `work`: computations of a plan
};

}  // namespace repebble::inline v0

#endif
