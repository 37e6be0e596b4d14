#ifndef REPEBBLE_RECOMPUTE_LOWER_SET_PLAN_OPTIONS_HPP
#define REPEBBLE_RECOMPUTE_LOWER_SET_PLAN_OPTIONS_HPP

// Options of lower_set_exact, lower_set_approximate and lower_set_exhaustive, and how they judge a plan.

#include <cstddef>
#include <cstdint>
#include <optional>

#include <repebble/graph/quantity.hpp>
#include <repebble/lower_sets/lower_set_limit.hpp>
#include <repebble/lower_sets/objective.hpp>

namespace repebble::inline v0 {

/// How a sequence of lower sets is judged to fit the budget.
enum class judged_by : std::uint8_t {
    replayed,  ///< by the replayed peak of its schedule with liveness
    formula,   ///< by formula (2) of Kusumoto et al. 2019; the schedule is the literal one
};

/// Options of a strategy that searches lower sets. The approximate one has no lower_set_limit; the exhaustive one has
/// no epsilon, time limit or threads.
struct lower_set_plan_options {
    std::optional<bytes> budget{};          ///< bytes of values and gradients; none: the least attainable
    objective goal = objective::time;       ///< which plan among those that fit
    judged_by judge = judged_by::replayed;  ///< joint graphs are always judged by replay
    bool keep_last = false;                 ///< judged by formula: keep the last segment, and omit its term of (1)
    std::optional<double> epsilon{};        ///< tolerated loss as a share of the forward time; none: `default_epsilon`
    bool nearest = false;                   ///< where no plan fits, return the one nearest to the budget
    /// Greatest number of lower sets: beyond it lower_set_exact searches a family, lower_set_exhaustive throws.
    std::size_t lower_set_limit = default_lower_set_limit;
    /// CPU seconds after which lower_set_exact and lower_set_approximate stop searching and return the best plan so
    /// far, at least that of a coarse curve of the pruned family.
    std::optional<double> time_limit{};
    /// Threads that search, the caller's included, at most 64; the plan does not depend on it.
    std::size_t threads = 1;
};

/// Default tolerance: 0 where the forward times sum to less than 10⁶ units (few different overheads), else 0.5 %.
[[nodiscard]] constexpr auto default_epsilon(double forward_time) -> double { return forward_time < 1e6 ? 0.0 : 0.005; }

}  // namespace repebble::inline v0

#endif
