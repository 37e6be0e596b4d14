#ifndef REPEBBLE_RECOMPUTE_LOWER_SET_PLAN_OPTIONS_HPP
#define REPEBBLE_RECOMPUTE_LOWER_SET_PLAN_OPTIONS_HPP

// Options of lower_set_plan, and how it judges a plan.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include <repebble/graph/quantity.hpp>
#include <repebble/graph/limits.hpp>
#include <repebble/lower_sets/objective.hpp>

namespace repebble::inline v0 {

/// How a sequence of lower sets is judged to fit the budget.
enum class judged_by : std::uint8_t {
    replayed,  ///< by the replayed peak of its schedule with liveness
    formula,   ///< by formula (2) of Kusumoto et al. 2019; the schedule is the literal one
};

/// Which sequences of lower sets are searched.
enum class lower_set_choice : std::uint8_t {
    all,     ///< of all lower sets, by dynamic programming: the exact algorithm
    pruned,  ///< of the pruned family {∅, L^v …, V}: the approximate algorithm
    every,   ///< each sequence of all lower sets, one by one: for small graphs
};

/// Options of `lower_set_plan`.
struct lower_set_plan_options {
    lower_set_choice sets = lower_set_choice::all;  ///< which are searched
    objective goal = objective::time;       ///< which plan among those that fit
    judged_by judge = judged_by::replayed;  ///< joint graphs are always judged by replay
    bool keep_last = false;                 ///< judged by formula: keep the last segment, and omit its term of (1)
    std::optional<double> epsilon{};        ///< tolerated loss as a share of the forward time; none: `default_epsilon`
    bool nearest = false;                   ///< where no plan fits, return the one nearest to the budget
    /// `seconds`, `stop`: end the search with the best plan so far, at least that of a coarse curve of the pruned
    /// family, where there was time to list that; a replay is not interrupted. `work`: of all, the greatest number of
    /// lower sets, beyond which a family of them is searched (100,000); of every sequence, the steps, beyond which
    /// limit_reached is thrown (10⁷).
    repebble::limits limits{};
    /// Threads that search, the caller's included, at most 64; the plan does not depend on it.
    std::size_t threads = 1;
    std::function<void(double)> progress{};  ///< called now and then with the share of the work that is done
};

/// Default tolerance: 0 where the forward times sum to less than 10⁶ units (few different overheads), else 0.5 %.
[[nodiscard]] constexpr auto default_epsilon(double forward_time) -> double { return forward_time < 1e6 ? 0.0 : 0.005; }

}  // namespace repebble::inline v0

#endif
