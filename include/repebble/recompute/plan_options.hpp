#ifndef REPEBBLE_RECOMPUTE_PLAN_OPTIONS_HPP
#define REPEBBLE_RECOMPUTE_PLAN_OPTIONS_HPP

#include <cstddef>
#include <cstdint>
#include <optional>

namespace repebble {

/// What is asked of the automatic planner.
struct plan_options {
    /// CPU seconds after which the best plan so far is returned; without one, equal calls return equal plans.
    std::optional<double> time_limit{};
    /// Moves of the annealing, and so the work at most; none: 10,000 per operation, from 2·10⁵ to 10⁶.
    std::optional<std::size_t> moves{};
    double gap = 0;          ///< good enough: a plan whose time is within this share of the proven least
    std::uint64_t seed = 1;  ///< of the annealing
    bool arena = true;       ///< the arena of the schedule is within the budget, too
};

}  // namespace repebble

#endif
