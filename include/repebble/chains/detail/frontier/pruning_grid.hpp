#ifndef REPEBBLE_CHAINS_DETAIL_FRONTIER_PRUNING_GRID_HPP
#define REPEBBLE_CHAINS_DETAIL_FRONTIER_PRUNING_GRID_HPP

// Pruning for long chains: lower bounds of curves on a uniform grid of memory, in 32-bit lanes, so that SIMD kernels
// find the cells in which a split may touch the envelope. Used by lower_envelope.hpp and pareto_table.hpp.
// Invariant: bounds are rounded down and never exceed the overheads, so that no point of the envelope is lost.

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <repebble/chains/detail/frontier/pareto_curve.hpp>
#include <repebble/chains/detail/min_plus.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

/// A uniform grid of memory cells, with overheads in integer units.
class pruning_grid {
  public:
    static constexpr std::int32_t impossible = 1 << 29;

    /// `count` cells up to `most` bytes, for overheads up to `worst`.
    pruning_grid(bytes most, std::uint32_t count, std::int64_t worst)
        : width_(most / count + 1), count_(count), unit_(unit_for(worst)), zeros_(count, 0) {}

    [[nodiscard]] auto cells() const noexcept { return count_; }
    [[nodiscard]] auto cell_of(bytes memory) const -> std::uint32_t {
        return static_cast<std::uint32_t>(std::min<bytes>(std::max<bytes>(0, memory) / width_, count_ - 1));
    }
    [[nodiscard]] auto begin_of(std::uint32_t cell) const -> bytes { return cell * width_; }
    /// The last byte of a cell; the last cell is unbounded.
    [[nodiscard]] auto last_of(std::uint32_t cell) const -> bytes {
        return cell + 1 == count_ ? std::numeric_limits<bytes>::max() : (cell + 1) * width_ - 1;
    }
    /// An overhead in units, rounded down.
    [[nodiscard]] auto down(std::int64_t overhead) const -> std::int32_t {
        return static_cast<std::int32_t>(overhead / unit_);
    }
    /// The greatest number of units that an overhead below the given one can have.
    [[nodiscard]] auto below(std::int64_t overhead) const -> std::int32_t {
        return static_cast<std::int32_t>((overhead + unit_ - 1) / unit_) - 1;
    }

    /// The lower bounds of a curve, by cell. O(points + cells).
    [[nodiscard]] auto row_of(chain_curve const& curve) const -> cell_row {
        cell_row row;
        if (curve.empty()) return row;
        row.first = cell_of(curve.front().budget);
        row.after = down(curve.back().time);
        auto const last = cell_of(curve.back().budget);
        std::size_t k = 0;
        for (auto cell = row.first; cell <= last; ++cell) {
            while (k + 1 < curve.size() && curve[k + 1].budget <= last_of(cell)) ++k;
            row.least.push_back(down(curve[k].time));
        }
        return row;
    }

    /// Calls visit(first cell, count, row, column, added) for runs of cells below `end` in which a split of two rows
    /// has plans; its bound in a cell is the sum of row, column and added.
    template <class Visit>
    void for_each_stretch(cell_row const& one, bytes kept, cell_row const* other, std::int64_t added, bytes least,
                          std::uint32_t end, Visit&& visit) const {
        auto const shift = cell_of(kept);
        auto at = std::max(cell_of(least), one.first + shift);
        if (other) at = std::max(at, other->first);
        while (at < end) {
            bool const past_one = at >= one.end() + shift, past_other = !other || at >= other->end();
            auto next = end;
            if (!past_one) next = std::min(next, one.end() + shift);
            if (!past_other) next = std::min(next, other->end());
            auto const more = down(added) + (past_one ? one.after : 0) + (past_other && other ? other->after : 0);
            visit(at, next - at, past_one ? zeros_.data() : one.least.data() + (at - one.first - shift),
                  past_other ? zeros_.data() : other->least.data() + (at - other->first), more);
            at = next;
        }
    }

  private:
    [[nodiscard]] static auto unit_for(std::int64_t worst) -> std::int64_t {
        constexpr std::int32_t most = 1 << 26;
        return worst / most + 1;
    }

    bytes width_;
    std::uint32_t count_;
    std::int64_t unit_;
    std::vector<std::int32_t> zeros_;
};

}  // namespace repebble::inline v0::detail

#endif
