#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_CAPACITY_ROWS_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_CAPACITY_ROWS_HPP

// The capacity constraints of the relaxation of several cuts: bytes at each cut. Each has one Lagrangian multiplier in
// `dual_ascent`.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <repebble/planner/detail/bounds/several_cuts/multiplier_scale.hpp>
#include <repebble/planner/detail/bounds/several_cuts/propagation.hpp>

namespace repebble::inline v0::detail {

/// The capacity at each cut beside the values that are kept by decision, in units.
class capacity_rows {
  public:
    /// Refers to the decisions.  O(cuts · values).
    explicit capacity_rows(propagation const& decided) : decided_(decided) {
        for (std::size_t i = 0; i < count(); ++i) capacities_.push_back(decided.capacity(i));
    }

    [[nodiscard]] auto decided() const noexcept -> propagation const& { return decided_; }
    [[nodiscard]] auto count() const -> std::size_t { return decided_.cuts().size(); }
    /// Whether the decisions fit at all cuts.
    [[nodiscard]] auto fit() const -> bool { return std::ranges::min(capacities_) >= 0; }
    /// Whether a choice that uses so many units at each cut fits.
    [[nodiscard]] auto fit(std::span<bytes const> used) const -> bool {
        return std::ranges::equal(used, capacities_, std::ranges::less_equal{});
    }
    [[nodiscard]] auto capacity(std::size_t r) const -> bytes { return capacities_[r]; }
    /// The capacity, at least one unit.
    [[nodiscard]] auto positive(std::size_t r) const -> double {
        return static_cast<double>(std::max<bytes>(1, capacities_[r]));
    }
    /// Returns the integer multiplier of one unit at each cut, scaled, from multipliers of whole capacities.
    [[nodiscard]] auto unit_multipliers(std::span<double const> multipliers, multiplier_scale const& scale) const
        -> std::vector<std::int64_t> {
        std::vector<std::int64_t> whole;
        for (std::size_t r = 0; r < count(); ++r) whole.push_back(scale.unit_multiplier(multipliers[r], positive(r)));
        return whole;
    }

  private:
    propagation const& decided_;
    std::vector<bytes> capacities_;
};

}  // namespace repebble::inline v0::detail

#endif
