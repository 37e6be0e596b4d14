#ifndef REPEBBLE_RECOMPUTE_STRATEGY_OPTIONS_HPP
#define REPEBBLE_RECOMPUTE_STRATEGY_OPTIONS_HPP

#include <cstddef>
#include <cstdint>
#include <optional>

#include <repebble/graph/no_progress.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/lower_sets/lower_set_limit.hpp>
#include <repebble/lower_sets/objective.hpp>

namespace repebble::inline v0 {

/// Who says whether a sequence of lower sets fits the budget.
enum class judged_by : std::uint8_t {
    replay,   ///< the replay of its real schedule
    formula,  ///< formula (2) of Kusumoto et al. 2019; the schedule is then the literal one
};

/// What is asked of a strategy that searches lower sets.
struct strategy_options {
    std::optional<bytes> budget{};  ///< bytes of values and gradients; none: the least that the strategy can do
    objective goal = objective::time;
    judged_by judge = judged_by::replay;  ///< joint graphs are always judged by replay
    bool keep_last = false;               ///< judged by formula: the last segment is kept, its term of (1) left out
    std::optional<double> epsilon{};      ///< tolerated loss as a share of the forward time; none: `default_epsilon`
    bool nearest = false;                 ///< where no plan fits, return the one that misses the budget by least
    /// Where there are more lower sets, lower_set_exact searches a family of them, and lower_set_exhaustive refuses.
    std::size_t lower_set_limit = default_lower_set_limit;
    /// CPU seconds after which lower_set_exact and lower_set_approximate search no further, and plan with what they
    /// have, at least a rough curve of the pruned family.
    std::optional<double> time_limit{};
    /// That search lower sets side by side, the caller's with them and at most 64: the plan is the same for any number.
    std::size_t threads = 1;
};

/// 0 where the forward times sum to less than 10⁶ units, so that different overheads are few; else 0.5 %.
[[nodiscard]] constexpr auto default_epsilon(double forward_time) -> double { return forward_time < 1e6 ? 0.0 : 0.005; }

}  // namespace repebble::inline v0

#endif
