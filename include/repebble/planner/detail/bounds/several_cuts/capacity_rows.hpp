#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_CAPACITY_ROWS_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_CAPACITY_ROWS_HPP

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

/// What is left at the moments of a chain beside what decisions hold there: of each moment in units, and of each row
/// after that. Each has a price.
class capacity_rows {
  public:
    /// Refers to both.  O(rows · values).
    explicit capacity_rows(propagation const& decided, std::span<mir_inequality const> rows = {})
        : decided_(decided), rows_(rows), rows_at_(decided.cuts().size()) {
        for (std::size_t i = 0; i < moments(); ++i) rooms_.push_back(decided.room(i));
        for (auto const& row : rows) {
            auto room = row.room;
            for (value_index x = 0; x < row.sizes.size(); ++x)
                if (decided.is_held(row.moment, x)) room -= row.sizes[x];
            rows_at_[row.moment].push_back(rooms_.size());
            rooms_.push_back(room);
        }
    }

    [[nodiscard]] auto decided() const noexcept -> propagation const& { return decided_; }
    [[nodiscard]] auto moments() const -> std::size_t { return decided_.cuts().size(); }
    [[nodiscard]] auto count() const noexcept -> std::size_t { return rooms_.size(); }
    /// Whether the decisions fit.
    [[nodiscard]] auto fit() const -> bool { return std::ranges::min(rooms_) >= 0; }
    /// Whether so much of each moment is no more than what is left.
    [[nodiscard]] auto fit(std::span<bytes const> used) const -> bool {
        return std::ranges::equal(used.first(moments()), std::span(rooms_).first(moments()), std::ranges::less_equal{});
    }
    [[nodiscard]] auto size(std::size_t r, value_index x) const -> bytes {
        return r < moments() ? decided_.size(x) : rows_[r - moments()].sizes[x];
    }
    [[nodiscard]] auto room(std::size_t r) const -> bytes { return rooms_[r]; }
    /// At least one unit.
    [[nodiscard]] auto positive(std::size_t r) const -> double {
        return static_cast<double>(std::max<bytes>(1, rooms_[r]));
    }
    /// Of one unit in each, where all that is left costs these prices: whole, scaled.
    [[nodiscard]] auto unit_prices(std::span<double const> prices, multiplier_scale const& scale) const
        -> std::vector<std::int64_t> {
        std::vector<std::int64_t> whole;
        for (std::size_t r = 0; r < count(); ++r) whole.push_back(scale.unit_price(prices[r], positive(r)));
        return whole;
    }
    /// Calls see(r) for the moment, and for each of its rows.
    template <class See>
    void for_each_at(std::size_t moment, See&& see) const {
        see(moment);
        std::ranges::for_each(rows_at_[moment], see);
    }

  private:
    propagation const& decided_;
    std::span<mir_inequality const> rows_;
    std::vector<std::vector<std::size_t>> rows_at_;  // of each moment
    std::vector<bytes> rooms_;
};

}  // namespace repebble::inline v0::detail

#endif
