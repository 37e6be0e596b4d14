#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_MULTIPLIER_SCALE_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_MULTIPLIER_SCALE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <repebble/planner/detail/bounds/one_cut/first_run_cut.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>

namespace repebble::inline v0::detail {

/// How multipliers in floating point are made whole, so that sums over the cuts of a chain and their rows are exact.
struct multiplier_scale {
    static constexpr std::size_t most_rows = 8;  ///< of each cut; none counts a value for more than its size

    double time = 1;  ///< of everything once, positive
    double all = 1;   ///< what all values take, in units
    std::int64_t scale = 1;
    std::int64_t highest = 1;  ///< of a unit, scaled
    bool is_exact = true;      ///< false: too large for whole multipliers

    multiplier_scale(std::span<first_run_cut const> cuts, bytes budget, bytes unit) {
        constexpr double limit = 0x1p58, rows = 1 + static_cast<double>(most_rows);
        auto const& m = cuts.front().model();
        auto const k = static_cast<double>(cuts.size());
        for (auto const s : m.sizes) all += static_cast<double>(s / unit);
        double capacity = static_cast<double>(budget);
        for (auto const& c : cuts) capacity = std::min(capacity, static_cast<double>(c.capacity(budget) / unit));
        time = static_cast<double>(std::max<std::int64_t>(1, m.time_once));
        scale = static_cast<std::int64_t>(
            std::clamp(limit / (4 * time * k * rows * std::max(1.0, all / std::max(1.0, capacity))), 1.0, 0x1p30));
        highest = static_cast<std::int64_t>(limit / (all * k * rows));
        is_exact = time * k * static_cast<double>(scale) <= limit;
    }

    /// Of one unit, where all of `capacity` cost `multiplier`: whole, scaled, and at most `highest`.
    [[nodiscard]] auto unit_multiplier(double multiplier, double capacity) const -> std::int64_t {
        return static_cast<std::int64_t>(
            std::min(multiplier * static_cast<double>(scale) / capacity, static_cast<double>(highest)));
    }
    [[nodiscard]] auto unscaled(std::int64_t value) const -> double {
        return static_cast<double>(value) / static_cast<double>(scale);
    }
    /// Of what is at least so much, in whole time units.
    [[nodiscard]] auto rounded_up(std::int64_t value) const -> std::int64_t { return (value + scale - 1) / scale; }
};

}  // namespace repebble::inline v0::detail

#endif
