#ifndef REPEBBLE_RECOMPUTE_DETAIL_CANONICAL_COMPLETION_BOUND_HPP
#define REPEBBLE_RECOMPUTE_DETAIL_CANONICAL_COMPLETION_BOUND_HPP

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include <repebble/detail/deadline_observer.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

/// How full the cache may be at a lower set, at most, so that the rest can be done with so much overhead: in cells of
/// overhead, rounded in favour of what may be. What is claimed does not count as cached, which is in favour of it, too:
/// a state in which it were not there could do all the same, and would claim it only then.
template <quantity Time>
class completion_bound {
  public:
    /// Of the segments of `arcs`, for overheads below the ceiling. The observer may end it.  O(arcs · cells).
    template <class Arcs, class Observer>
    completion_bound(Arcs& arcs, Time ceiling, Observer& observer) {
        constexpr std::size_t work = 300'000'000;
        constexpr std::size_t space = 6'000'000;
        cells_ = std::clamp<std::size_t>(std::min(work / (arcs.count() + 1), space / (arcs.size() + 1)), 64, 1 << 14);
        cell_ =
            std::max(static_cast<double>(ceiling) / static_cast<double>(cells_), std::numeric_limits<double>::min());
        rooms_.assign(arcs.size() * cells_, none);
        std::fill_n(rooms_.data() + arcs.full() * cells_, cells_, arcs.budget());
        for (std::size_t i = arcs.full(); i-- > 0;) {
            if (arcs.from(i).empty()) continue;
            end_if_over(observer);
            arcs.open(i);
            auto* const here = rooms_.data() + i * cells_;
            for (auto const& a : arcs.from(i)) {
                bytes const most = arcs.budget() - arcs.peak(a);
                bytes const growth = a.to == arcs.full() ? 0 : a.cached - arcs.claimed_bytes(a.claimed);
                auto const cells = static_cast<std::size_t>(static_cast<double>(a.overhead) / cell_ * (1 - 1e-9));
                auto const* const there = rooms_.data() + a.to * cells_;
                for (auto c = cells; c < cells_; ++c)
                    here[c] = std::max(here[c], std::min(most, there[c - cells] - growth));
            }
        }
    }

    /// No overhead below that is enough for the rest, with so much cached and not claimed.  O(log cells).
    [[nodiscard]] auto bound(std::size_t set, bytes cached) const -> double {
        auto const* const room = rooms_.data() + set * cells_;
        auto const at = std::partition_point(room, room + cells_, [&](bytes r) { return r < cached; });
        return static_cast<double>(at - room) * cell_ * (1 - 1e-9);
    }
    /// Whether the rest may be done with less overhead than that, with so much cached and not claimed.
    [[nodiscard]] auto has(std::size_t set, Time overhead, bytes cached) const -> bool {
        auto const cells = static_cast<double>(overhead) / cell_ * (1 + 1e-9);
        return cells >= 0 && cached <= rooms_[set * cells_ + std::min(static_cast<std::size_t>(cells), cells_ - 1)];
    }

  private:
    static constexpr bytes none = std::numeric_limits<bytes>::min() / 2;

    std::size_t cells_;
    double cell_;
    std::vector<bytes> rooms_;  // per set and cell
};

}  // namespace repebble::inline v0::detail

#endif
