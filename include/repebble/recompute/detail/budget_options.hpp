#ifndef REPEBBLE_RECOMPUTE_DETAIL_BUDGET_OPTIONS_HPP
#define REPEBBLE_RECOMPUTE_DETAIL_BUDGET_OPTIONS_HPP

// Budget and objective: what the parts of a strategy hand down.

#include <optional>

#include <repebble/graph/quantity.hpp>
#include <repebble/lower_sets/objective.hpp>
#include <repebble/recompute/strategy_options.hpp>

namespace repebble::inline v0::detail {

/// Budget and objective of a strategy.
struct budget_options {
    std::optional<bytes> budget{};     ///< bytes of values and gradients; none: the least attainable
    objective goal = objective::time;  ///< memory: the least peak, which must fit the budget
    bool nearest = false;              ///< where no plan fits, return the one nearest to the budget
};

/// The options of a strategy with its budget.
[[nodiscard]] inline auto with_budget(strategy_options const& options, std::optional<bytes> budget) -> budget_options {
    return {budget, options.goal, options.nearest};
}

}  // namespace repebble::inline v0::detail

#endif
