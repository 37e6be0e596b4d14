#ifndef REPEBBLE_RECOMPUTE_DETAIL_CANONICAL_COMPLETION_BOUND_HPP
#define REPEBBLE_RECOMPUTE_DETAIL_CANONICAL_COMPLETION_BOUND_HPP

// Completion bounds for label setting: a backward dynamic program over the arcs of segment_arcs, on a grid of
// overheads, that ignores claimed values and rounds in favour of feasibility. label_setting drops labels that cannot be
// completed.

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include <repebble/graph/detail/deadline_observer.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

/// Completion bound: the largest cache at a lower set from which the remaining segments fit the budget, by remaining
/// overhead in cells of a grid. Rounded in favour of feasibility. Claimed bytes do not count as cached, which also
/// relaxes: a state without them has the same continuations and would claim them only then.
class completion_bound {
  public:
    /// Computes the bound from `arcs`, for overheads below `ceiling`. The observer may end it. O(arcs · cells).
    template <class Arcs, class Observer>
    completion_bound(Arcs& arcs, std::int64_t ceiling, Observer& observer) {
        constexpr std::size_t work = 300'000'000;
        constexpr std::size_t space = 6'000'000;
        cells_ = std::clamp<std::size_t>(std::min(work / (arcs.count() + 1), space / (arcs.size() + 1)), 64, 1 << 14);
        cell_ =
            std::max(static_cast<double>(ceiling) / static_cast<double>(cells_), std::numeric_limits<double>::min());
        capacities_.assign(arcs.size() * cells_, none);
        std::fill_n(capacities_.data() + arcs.full() * cells_, cells_, arcs.budget());
        for (std::size_t i = arcs.full(); i-- > 0;) {
            if (arcs.from(i).empty()) continue;
            if (is_over(observer)) {
                complete_ = false;
                return;
            }
            arcs.open(i);
            auto* const current = capacities_.data() + i * cells_;
            for (auto const& a : arcs.from(i)) {
                bytes const limit = arcs.budget() - arcs.peak(a);
                bytes const growth = a.to == arcs.full() ? 0 : a.cached - arcs.claimed_bytes(a.claimed);
                auto const cells = static_cast<std::size_t>(static_cast<double>(a.overhead) / cell_ * (1 - 1e-9));
                auto const* const next = capacities_.data() + a.to * cells_;
                for (auto c = cells; c < cells_; ++c)
                    current[c] = std::max(current[c], std::min(limit, next[c - cells] - growth));
            }
        }
    }

    /// Whether the observer did not end the computation; if it did, the bound must not be used.
    [[nodiscard]] auto complete() const noexcept -> bool { return complete_; }
    /// Lower bound on the overhead of the remaining segments, with `cached` unclaimed bytes in the cache. O(log cells).
    [[nodiscard]] auto bound(std::size_t set, bytes cached) const -> double {
        auto const* const capacity = capacities_.data() + set * cells_;
        auto const at = std::partition_point(capacity, capacity + cells_, [&](bytes r) { return r < cached; });
        return static_cast<double>(at - capacity) * cell_ * (1 - 1e-9);
    }
    /// Whether the remaining segments may take less than `overhead`, with `cached` unclaimed bytes in the cache.
    [[nodiscard]] auto has(std::size_t set, std::int64_t overhead, bytes cached) const -> bool {
        auto const cells = static_cast<double>(overhead) / cell_ * (1 + 1e-9);
        return cells >= 0 &&
               cached <= capacities_[set * cells_ + std::min(static_cast<std::size_t>(cells), cells_ - 1)];
    }

  private:
    static constexpr bytes none = std::numeric_limits<bytes>::min() / 2;

    bool complete_ = true;
    std::size_t cells_;
    double cell_;
    std::vector<bytes> capacities_;  // per set and cell
};

}  // namespace repebble::inline v0::detail

#endif
