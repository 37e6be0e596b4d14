#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_MULTIPLIER_SCALE_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_MULTIPLIER_SCALE_HPP

// Fixed-point arithmetic of multipliers: the scale by which floating multipliers become integers so that no sum over
// the cuts of a chain overflows. So Lagrangian bounds are exact.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <repebble/planner/detail/bounds/one_cut/first_run_cut.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>

namespace repebble::inline v0::detail {

/// The scale for one chain and budget.
struct multiplier_scale {
    double time = 1;  ///< time of everything once, positive
    double all = 1;   ///< sum of the sizes of all values, in units
    std::int64_t scale = 1;
    std::int64_t highest = 1;  ///< largest multiplier of a unit, scaled
    bool is_exact = true;      ///< false: integer multipliers would overflow

    multiplier_scale(std::span<first_run_cut const> cuts, bytes budget, bytes unit) {
        constexpr double limit = 0x1p58;
        auto const& m = cuts.front().model();
        auto const k = static_cast<double>(cuts.size());
        for (auto const s : m.sizes) all += static_cast<double>(s / unit);
        double capacity = static_cast<double>(budget);
        for (auto const& c : cuts) capacity = std::min(capacity, static_cast<double>(c.capacity(budget) / unit));
        time = static_cast<double>(std::max<std::int64_t>(1, m.time_once));
        scale = static_cast<std::int64_t>(
            std::clamp(limit / (4 * time * k * std::max(1.0, all / std::max(1.0, capacity))), 1.0, 0x1p30));
        highest = static_cast<std::int64_t>(limit / (all * k));
        is_exact = time * k * static_cast<double>(scale) <= limit;
    }

    /// Returns the integer multiplier of one unit, scaled and at most `highest`, where the whole capacity has this
    /// multiplier.
    [[nodiscard]] auto unit_multiplier(double multiplier, double capacity) const -> std::int64_t {
        return static_cast<std::int64_t>(
            std::min(multiplier * static_cast<double>(scale) / capacity, static_cast<double>(highest)));
    }
    [[nodiscard]] auto unscaled(std::int64_t value) const -> double {
        return static_cast<double>(value) / static_cast<double>(scale);
    }
    /// Returns a scaled lower bound in whole time units, rounded up.
    [[nodiscard]] auto rounded_up(std::int64_t value) const -> std::int64_t { return (value + scale - 1) / scale; }
};

}  // namespace repebble::inline v0::detail

#endif
