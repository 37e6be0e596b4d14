#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_RELAXED_CHOICE_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_RELAXED_CHOICE_HPP

// The evaluation of the Lagrangian dual of several cuts at given multipliers. `dual_ascent` uses it.

#include <cstddef>
#include <cstdint>
#include <span>

#include <repebble/planner/detail/bounds/several_cuts/capacity_rows.hpp>
#include <repebble/planner/detail/bounds/several_cuts/multi_cut_relaxation.hpp>
#include <repebble/planner/detail/bounds/several_cuts/multiplier_scale.hpp>

namespace repebble::inline v0::detail {

/// A relaxed solution at given multipliers, with its Lagrangian bound.
struct relaxed_choice {
    multi_cut_relaxation::answer choice{};
    std::int64_t lower_bound = 0;  ///< Lagrangian lower bound, scaled
    std::int64_t time = 0;         ///< time of the solution, scaled
};

/// Solves the relaxation where the whole capacity at each cut has these multipliers.  O(a maximum flow).
[[nodiscard]] inline auto choice_at(capacity_rows const& capacities, multi_cut_relaxation const& chain,
                                    std::span<double const> multipliers, multiplier_scale const& scale)
    -> relaxed_choice {
    auto const whole = capacities.unit_multipliers(multipliers, scale);
    relaxed_choice out{.choice = chain.solve(whole)};
    if (!out.choice.feasible) return out;
    out.lower_bound = out.time = out.choice.value;
    for (std::size_t r = 0; r < capacities.count(); ++r) {
        out.lower_bound -= whole[r] * capacities.capacity(r);
        out.time -= whole[r] * out.choice.used[r];
    }
    return out;
}

}  // namespace repebble::inline v0::detail

#endif
