#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_CAPACITY_ROWS_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_CAPACITY_ROWS_HPP

// The capacity constraints of the relaxation of several cuts: bytes at each cut, and valid inequalities
// (`mir_inequality`) that strengthen them. Each row has one Lagrangian multiplier in `dual_ascent`.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <repebble/planner/detail/bounds/several_cuts/mir_inequality.hpp>
#include <repebble/planner/detail/bounds/several_cuts/multiplier_scale.hpp>
#include <repebble/planner/detail/bounds/several_cuts/propagation.hpp>

namespace repebble::inline v0::detail {

/// The capacity of each row beside the values that are kept by decision: rows 0 to k - 1 are the bytes at the k cuts,
/// in units; the inequalities follow.
class capacity_rows {
  public:
    /// Refers to both.  O(rows · values).
    explicit capacity_rows(propagation const& decided, std::span<mir_inequality const> rows = {})
        : decided_(decided), rows_(rows), rows_at_(decided.cuts().size()) {
        for (std::size_t i = 0; i < cut_count(); ++i) capacities_.push_back(decided.capacity(i));
        for (auto const& row : rows) {
            auto capacity = row.capacity;
            for (value_index x = 0; x < row.sizes.size(); ++x)
                if (decided.is_kept(row.cut, x)) capacity -= row.sizes[x];
            rows_at_[row.cut].push_back(capacities_.size());
            capacities_.push_back(capacity);
        }
    }

    [[nodiscard]] auto decided() const noexcept -> propagation const& { return decided_; }
    [[nodiscard]] auto cut_count() const -> std::size_t { return decided_.cuts().size(); }
    [[nodiscard]] auto count() const noexcept -> std::size_t { return capacities_.size(); }
    /// Whether the decisions fit all rows.
    [[nodiscard]] auto fit() const -> bool { return std::ranges::min(capacities_) >= 0; }
    /// Whether a choice that uses so many units at each cut fits.
    [[nodiscard]] auto fit(std::span<bytes const> used) const -> bool {
        return std::ranges::equal(used.first(cut_count()), std::span(capacities_).first(cut_count()),
                                  std::ranges::less_equal{});
    }
    [[nodiscard]] auto size(std::size_t r, value_index x) const -> bytes {
        return r < cut_count() ? decided_.size(x) : rows_[r - cut_count()].sizes[x];
    }
    [[nodiscard]] auto capacity(std::size_t r) const -> bytes { return capacities_[r]; }
    /// The capacity, at least one unit.
    [[nodiscard]] auto positive(std::size_t r) const -> double {
        return static_cast<double>(std::max<bytes>(1, capacities_[r]));
    }
    /// Returns the integer multiplier of one unit in each row, scaled, from multipliers of whole capacities.
    [[nodiscard]] auto unit_multipliers(std::span<double const> multipliers, multiplier_scale const& scale) const
        -> std::vector<std::int64_t> {
        std::vector<std::int64_t> whole;
        for (std::size_t r = 0; r < count(); ++r) whole.push_back(scale.unit_multiplier(multipliers[r], positive(r)));
        return whole;
    }
    /// Calls visit(r) for the row of bytes at the cut, and for each inequality of the cut.
    template <class See>
    void for_each_at(std::size_t cut, See&& visit) const {
        visit(cut);
        std::ranges::for_each(rows_at_[cut], visit);
    }

  private:
    propagation const& decided_;
    std::span<mir_inequality const> rows_;
    std::vector<std::vector<std::size_t>> rows_at_;  // by cut
    std::vector<bytes> capacities_;
};

}  // namespace repebble::inline v0::detail

#endif
