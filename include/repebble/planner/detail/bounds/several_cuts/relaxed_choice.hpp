#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_RELAXED_CHOICE_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_RELAXED_CHOICE_HPP

#include <cstddef>
#include <cstdint>
#include <span>

#include <repebble/planner/detail/bounds/several_cuts/capacity_rows.hpp>
#include <repebble/planner/detail/bounds/several_cuts/multi_cut_relaxation.hpp>
#include <repebble/planner/detail/bounds/several_cuts/multiplier_scale.hpp>

namespace repebble::inline v0::detail {

/// What the relaxation of a chain chooses where what is left in each room has a price.
struct relaxed_choice {
    multi_cut_relaxation::answer choice{};
    std::int64_t above = 0;  ///< what nothing is below, scaled
    std::int64_t time = 0;   ///< what the choice takes, scaled
};

/// O(a maximum flow).
[[nodiscard]] inline auto choice_at(capacity_rows const& rooms, multi_cut_relaxation const& chain,
                                    std::span<double const> prices, multiplier_scale const& scale) -> relaxed_choice {
    auto const whole = rooms.unit_prices(prices, scale);
    relaxed_choice out{.choice = chain.solve(whole)};
    if (!out.choice.feasible) return out;
    out.above = out.time = out.choice.value;
    for (std::size_t r = 0; r < rooms.count(); ++r) {
        out.above -= whole[r] * rooms.room(r);
        out.time -= whole[r] * out.choice.used[r];
    }
    return out;
}

}  // namespace repebble::inline v0::detail

#endif
