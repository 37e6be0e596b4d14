#ifndef REPEBBLE_RECOMPUTE_DETAIL_SEGMENTS_KEEP_BY_DENSITY_HPP
#define REPEBBLE_RECOMPUTE_DETAIL_SEGMENTS_KEEP_BY_DENSITY_HPP

// Local improvement of a segment plan: fills the memory left with kept values, by time per byte (the greedy rule of the
// knapsack problem), with group testing to save replays. Used by search_segments.hpp.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <repebble/graph/quantity.hpp>
#include <repebble/recompute/segment_trial.hpp>

namespace repebble::inline v0::detail {

/// Sets counts of a mirror plan to 0 while the memory allows, in descending order of time per byte. `Judge` is a
/// segment_judge.
template <class Judge>
class keep_by_density {
  public:
    static constexpr std::size_t most_replays = 300;

    explicit keep_by_density(Judge const& judge) : judge_(judge) {}

    /// Replaces the trial by one with less overhead within `capacity` bytes and returns true, or leaves it unchanged.
    /// At most 4 · `most_replays` replays, and four measurements.
    [[nodiscard]] auto keep_in(segment_trial& trial, bytes capacity) const -> bool {
        bytes peak = capacity;  // with fragmentation the memory can exceed the peak
        for (int attempt = 0; attempt < 4 && peak >= trial.plan.cost.peak; ++attempt) {
            auto next = trial;
            keep_within(next, peak);
            if (!(next.plan.cost.time < trial.plan.cost.time)) return false;
            next.size = judge_.size_of(next.plan);
            if (next.size <= capacity) {
                trial = std::move(next);
                return true;
            }
            peak -= next.size - capacity;
        }
        return false;
    }

  private:
    struct range {
        std::size_t begin, end;
    };

    /// Tries whole ranges; where one does not fit, its first half, then the other.
    void keep_within(segment_trial& trial, bytes peak) const {
        auto const order = dropped(trial.mirrors);
        std::vector<range> open{{0, order.size()}};
        for (std::size_t replays = 0; !open.empty() && replays < most_replays && !judge_.is_over(); ++replays) {
            auto const [begin, end] = open.back();
            open.pop_back();
            if (begin == end) continue;
            auto mirrors = trial.mirrors;
            for (auto i = begin; i < end; ++i) mirrors.counts[order[i]] = 0;
            auto plan = judge_.plan_of(mirrors);
            if (!plan) return;
            if (plan->cost.peak <= peak && !(trial.plan.cost.time < plan->cost.time)) {
                trial.mirrors = std::move(mirrors);
                trial.plan = *std::move(plan);
                continue;
            }
            if (end - begin == 1) continue;
            auto const middle = begin + (end - begin) / 2;
            open.push_back({middle, end});
            open.push_back({begin, middle});
        }
    }

    [[nodiscard]] auto dropped(mirror_plan const& mirrors) const -> std::vector<std::uint32_t> {
        auto const& problem = judge_.graph().problem();
        std::vector<std::uint32_t> order;
        for (std::uint32_t f = 0; f < mirrors.counts.size(); ++f)
            if (mirrors.counts[f] > 0) order.push_back(f);
        auto const density = [&](std::uint32_t f) {
            auto const size = static_cast<double>(std::max<bytes>(problem.memory[f], 1));
            return static_cast<double>(problem.time[f]) / size;
        };
        std::ranges::stable_sort(order, [&](auto a, auto b) { return density(a) > density(b); });
        return order;
    }

    Judge const& judge_;
};

}  // namespace repebble::inline v0::detail

#endif
