#ifndef REPEBBLE_RECOMPUTE_DETAIL_SEGMENTS_CROSSING_VALUES_HPP
#define REPEBBLE_RECOMPUTE_DETAIL_SEGMENTS_CROSSING_VALUES_HPP

// Separators of several vertices (Bulatov 2018, "Beyond simple feed-forward"): each position of an order is a cut, and
// keeps the values that cross it, computed before and read after. Used by the segment strategies and by chain_plan.
// Invariant: a value counts at the first chosen cut that it crosses, so the bytes kept are a sum over pairs of
// neighbouring cuts, and a shortest path over the positions is exact.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <repebble/graph/quantity.hpp>
#include <repebble/recompute/planning_graph.hpp>

namespace repebble::inline v0::detail {

/// Cuts of a forward pass, and the bytes that they keep.
struct chosen_cuts {
    std::vector<std::size_t> positions{};  ///< ascending: the last operation before each cut
    bytes kept = 0;                        ///< bytes of all values kept
    bytes largest = 0;                     ///< of the bytes that the limit is for, the most of a segment
};

/// The values of an order of forward operations, by the positions that they cross. Values that may be computed once
/// only are always resident and count nowhere.
class crossing_values {
  public:
    /// O(n + m).
    crossing_values(planning_graph const& graph, std::span<std::uint32_t const> order)
        : order_(order.begin(), order.end()), size_(order.size()), last_(order.size()), made_(order.size() + 1, 0) {
        auto const& problem = graph.problem();
        std::vector<std::size_t> position(order.size());
        for (std::size_t i = 0; i < order.size(); ++i) position[order[i]] = i;
        for (std::size_t i = 0; i < order.size(); ++i) {
            last_[i] = i;
            for (auto const w : problem.graph.successors(order[i])) last_[i] = std::max(last_[i], position[w]);
            size_[i] = problem.pinned.contains(order[i]) ? 0 : problem.memory[order[i]];
            made_[i + 1] = made_[i] + size_[i];
        }
    }

    /// The number of positions.
    [[nodiscard]] auto size() const noexcept -> std::size_t { return order_.size(); }
    /// Whether the value made at a position crosses a cut at or after it.
    [[nodiscard]] auto crosses(std::size_t made, std::size_t cut) const -> bool { return last_[made] > cut; }
    /// By position from `begin` to `end` - 1: the bytes of the values made from `begin` on that are read after it.
    [[nodiscard]] auto crossing(std::size_t begin, std::size_t end) const -> std::vector<bytes> {
        std::vector<bytes> all(end - begin, 0);
        for (auto i = begin; i < end; ++i) {
            all[i - begin] += size_[i];
            if (last_[i] < end) all[last_[i] - begin] -= size_[i];
        }
        for (std::size_t k = 1; k < all.size(); ++k) all[k] += all[k - 1];
        return all;
    }
    /// The forward numbers of the values that cross at least one of the cuts.  O(n).
    [[nodiscard]] auto kept_at(std::span<std::size_t const> cuts) const -> std::vector<std::uint32_t> {
        std::vector<std::uint32_t> kept;
        auto next = cuts.begin();
        for (std::size_t i = 0; i < order_.size() && next != cuts.end(); ++i) {
            if (*next < i) ++next;
            if (next != cuts.end() && crosses(i, *next)) kept.push_back(order_[i]);
        }
        return kept;
    }
    /// The positions at which no more bytes cross than at those beside them; of a plateau all.  O(n).
    [[nodiscard]] auto low_places() const -> std::vector<std::size_t> {
        auto const bytes_at = crossing(0, size());
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i + 1 < size(); ++i)
            if (bytes_at[i] <= bytes_at[i + 1] && (i == 0 || bytes_at[i] <= bytes_at[i - 1])) places.push_back(i);
        return places;
    }

    /// The cuts that keep the fewest bytes where no segment makes more than `limit` bytes.
    [[nodiscard]] auto cheapest_cuts(bytes limit) const -> chosen_cuts {
        return shortest_path(limit, made_, [](bytes) { return bytes{0}; });
    }
    /// The same where no segment, with all that is kept before it, has more than `limit` bytes: the peak of the
    /// backward pass without gradients, as what is kept after a segment is gone by then. Segments get shorter.
    [[nodiscard]] auto cuts_within(bytes limit) const -> chosen_cuts {
        return shortest_path(limit, made_, [](bytes kept) { return kept; });
    }
    /// The same where no segment has more than `limit` operations.
    [[nodiscard]] auto cuts_every(std::size_t limit) const -> chosen_cuts {
        std::vector<bytes> count(made_.size());
        for (std::size_t i = 0; i < count.size(); ++i) count[i] = static_cast<bytes>(i);
        return shortest_path(static_cast<bytes>(limit), count, [](bytes) { return bytes{0}; });
    }

  private:
    /// `sum`: of the first operations; `before(kept)`: what the bytes kept before a segment count against the limit. A
    /// segment of one operation is always allowed.  O(n · operations in a segment), at most 10⁸ steps.
    template <class Before>
    [[nodiscard]] auto shortest_path(bytes limit, std::vector<bytes> const& sum, Before const& before) const
        -> chosen_cuts {
        constexpr std::size_t most_steps = 100'000'000;
        auto const n = size();
        if (n == 0) return {};
        auto const most = most_steps / n + 1;
        std::vector<bytes> kept(n + 1, std::numeric_limits<bytes>::max());  // by the number of operations before
        std::vector<std::size_t> from(n + 1, 0);
        kept[0] = 0;
        for (std::size_t end = 1; end <= n; ++end) {
            bytes crossing = 0;
            for (auto begin = end; begin-- > 0 && end - begin <= most;) {
                if (last_[begin] >= end) crossing += size_[begin];
                auto const made = sum[end] - sum[begin];
                if (made > limit && end - begin > 1) break;
                if (made + before(kept[begin]) > limit && end - begin > 1) continue;
                if (kept[begin] + crossing > kept[end]) continue;  // of equal ones the longest segment
                kept[end] = kept[begin] + crossing;
                from[end] = begin;
            }
        }
        chosen_cuts chosen{.kept = kept[n]};
        for (auto end = n; end > 0; end = from[end]) {
            chosen.largest = std::max(chosen.largest, sum[end] - sum[from[end]] + before(kept[from[end]]));
            if (end < n) chosen.positions.push_back(end - 1);
        }
        std::ranges::reverse(chosen.positions);
        return chosen;
    }

    std::vector<std::uint32_t> order_;  // forward numbers
    std::vector<bytes> size_;           // by position
    std::vector<std::size_t> last_;     // by position: the last position that reads it
    std::vector<bytes> made_;           // bytes of the first operations
};

}  // namespace repebble::inline v0::detail

#endif
