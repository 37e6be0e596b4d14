#ifndef REPEBBLE_CHAINS_DETAIL_FRONTIER_LOWER_ENVELOPE_HPP
#define REPEBBLE_CHAINS_DETAIL_FRONTIER_LOWER_ENVELOPE_HPP

// The lower envelope of many splits: the Pareto curve of a subchain. Most splits are nowhere the least. Short chains
// skip them by leaps over the envelope so far; long chains by lower bounds in cells (pruning_grid.hpp) and SIMD
// comparisons (min_plus.hpp). Used by pareto_table.hpp.
// Invariant: the result is a Pareto curve, equal to the pointwise minimum of all added splits up to the last byte.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <repebble/chains/detail/frontier/pareto_curve.hpp>
#include <repebble/chains/detail/frontier/pruning_grid.hpp>
#include <repebble/chains/detail/frontier/split_cursor.hpp>
#include <repebble/chains/detail/min_plus.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

/// Accumulates splits. A leap is skipped when the split at its end is not below the envelope at its begin: both fall,
/// so the split is above the envelope throughout.
class lower_envelope {
  public:
    using point = budget_and_time;

    /// Starts an empty envelope, up to `most` bytes.
    void begin(bytes most) {
        most_ = most;
        best_.clear();
    }
    /// Lowers the envelope to a split. O(log points) where the split is nowhere below.
    void add(chain_split const& split) {
        if (split.first->points.empty() || (split.second && split.second->points.empty())) return;
        split_cursor w(split);
        if (w.memory() > most_) return;
        improved_.clear();
        find_improvements(w);
        if (!improved_.empty()) merge();
    }
    /// As `add` of each split, with pruning by cells.  Requires: all curves have cells of the grid.
    void add_all(std::span<chain_split const> splits, pruning_grid const& grid) {
        std::uint32_t end = 0;
        for (auto const& s : splits) {
            auto const last = s.first->cells.end() + grid.cell_of(s.kept);
            end = std::max({end, last, s.second ? s.second->cells.end() : 0U, grid.cell_of(s.least)});
        }
        end = std::min({end + 1, grid.cells(), grid.cell_of(most_) + 1});
        // First, in each cell, the first split of the least bound; then all others where they may be below the
        // envelope.
        least_.assign(end, pruning_grid::impossible - 1);
        for (auto const& s : splits)
            stretches(s, grid, end, [&](auto at, auto count, auto const* one, auto const* other, auto added) {
                kernels_.row({one, other, added, least_.data() + at, count});
            });
        for (auto const& s : splits) static_cast<void>(look(s, grid, end, true));
        begin_ = 0;
        std::ranges::fill(least_, pruning_grid::impossible - 1);
        bound_by_best(grid, 0);
        for (auto const& s : splits)
            if (look(s, grid, end, false)) bound_by_best(grid, begin_);
    }
    [[nodiscard]] auto result() const -> chain_curve const& { return best_; }

  private:
    static constexpr bytes never = std::numeric_limits<bytes>::max();

    template <class Visit>
    static void stretches(chain_split const& s, pruning_grid const& grid, std::uint32_t end, Visit&& visit) {
        if (s.first->points.empty() || (s.second && s.second->points.empty())) return;
        grid.for_each_stretch(s.first->cells, s.kept, s.second ? &s.second->cells : nullptr, s.added, s.least, end,
                              visit);
    }
    /// Lowers the envelope to a split in the cells in which its bound is at most `least_`. Returns whether it did, and
    /// sets `begin_` to the first such cell.
    /// `once`: these cells are closed to later splits.
    auto look(chain_split const& s, pruning_grid const& grid, std::uint32_t end, bool once) -> bool {
        flags_.assign((end + 7) / 8 * 8, 0);
        bool any = false;
        stretches(s, grid, end, [&](auto at, auto count, auto const* one, auto const* other, auto added) {
            kernels_.test({one, other, added, least_.data() + at, flags_.data() + at, count});
            any = true;
        });
        if (!any) return false;
        split_cursor w(s);
        if (w.memory() > most_) return false;
        improved_.clear();
        std::size_t k = 0;  // the first point of best_ with more memory than the cursor
        for (std::uint32_t cell = 0; cell < end; ++cell) {
            if (cell % 8 == 0) {
                std::uint64_t eight = 0;
                std::memcpy(&eight, flags_.data() + cell, 8);
                if (eight == 0) {
                    cell += 7;
                    continue;
                }
            }
            if (flags_[cell] == 0) continue;
            auto const last = std::min(grid.last_of(cell), most_);
            if (last < w.memory()) continue;
            if (grid.begin_of(cell) > w.memory()) w.to(grid.begin_of(cell));
            compare(w, last, k);
            if (once) least_[cell] = -1;
        }
        if (improved_.empty()) return false;
        begin_ = grid.cell_of(improved_.front().budget);
        merge();
        return true;
    }
    /// Collects the points of the split below the envelope, from the cursor to `last`.
    void compare(split_cursor& w, bytes last, std::size_t& k) {
        for (;;) {
            for (; k < best_.size() && best_[k].budget <= w.memory(); ++k) {
            }
            auto const now = w.overhead();
            if ((k == 0 || now < best_[k - 1].time) && (improved_.empty() || now < improved_.back().time))
                improved_.push_back({w.memory(), now});
            auto const next = w.next();
            if (next > last) return;
            w.step(next);
        }
    }
    /// Sets `least_` to the greatest bound with which a split can still be below the envelope, from a cell on.
    void bound_by_best(pruning_grid const& grid, std::uint32_t from) {
        auto k = static_cast<std::size_t>(
            std::partition_point(best_.begin(), best_.end(),
                                 [&](auto const& p) { return p.budget <= grid.begin_of(from); }) -
            best_.begin());
        for (auto cell = from; cell < least_.size(); ++cell) {
            while (k < best_.size() && best_[k].budget <= grid.begin_of(cell)) ++k;
            if (k > 0) least_[cell] = grid.below(best_[k - 1].time);
        }
    }

    void find_improvements(split_cursor& w) {
        auto const n = best_.size();
        if (n == 0 || w.memory() < best_.front().budget) {
            auto const end = n == 0 ? never : best_.front().budget;
            collect(w, end, std::nullopt);
            if (n == 0 || end > most_) return;
            w.to(end);
        }
        auto const least = w.least();
        std::size_t k = reached(w.memory());
        for (std::size_t leap = 8; k < n && best_[k].time > least;) {
            auto const next = std::min(k + leap, n);
            auto const last = next < n ? best_[next].budget - 1 : most_;
            if (!(w.overhead_at(last) < best_[k].time)) {
                leap *= 2;
            } else if (leap > 1) {
                leap = std::max<std::size_t>(1, leap / 4);
                continue;
            } else {
                collect(w, next < n ? best_[next].budget : never, best_[k].time);
                leap = 2;
            }
            k = next;
            if (k < n) w.to(best_[k].budget);
        }
    }
    /// Collects the points of the split below an overhead, for memories below `end` and at most `most_`.
    void collect(split_cursor& w, bytes end, std::optional<std::int64_t> below) {
        for (;;) {
            auto const now = w.overhead();
            if ((!below || now < *below) && (improved_.empty() || now < improved_.back().time))
                improved_.push_back({w.memory(), now});
            auto const next = w.next();
            if (next == never || next >= end || next > most_) return;
            w.step(next);
        }
    }
    /// The last point of the envelope with at most so much memory.  Requires: the first has.
    [[nodiscard]] auto reached(bytes memory) const -> std::size_t {
        auto const after =
            std::partition_point(best_.begin(), best_.end(), [&](auto const& p) { return p.budget <= memory; });
        return static_cast<std::size_t>(after - best_.begin()) - 1;
    }
    /// Merges the collected points into the envelope.
    void merge() {
        merged_.clear();
        auto const push = [&](point const& p) {
            if (merged_.empty() || p.time < merged_.back().time) merged_.push_back(p);
        };
        auto old = best_.begin();
        for (auto const& p : improved_) {
            for (; old != best_.end() && old->budget < p.budget; ++old) push(*old);
            push(p);
        }
        for (; old != best_.end(); ++old) push(*old);
        best_.swap(merged_);
    }

    bytes most_ = never;
    min_plus_kernels<std::int32_t> kernels_ = fastest_min_plus<std::int32_t>();
    std::vector<std::int32_t> least_;  // by cell: splits of a greater bound are skipped
    std::vector<signed char> flags_;   // by cell: whether the split is compared there
    std::uint32_t begin_ = 0;          // the first cell that the last split lowered
    chain_curve best_, improved_, merged_;
};

}  // namespace repebble::inline v0::detail

#endif
