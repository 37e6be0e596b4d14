#ifndef REPEBBLE_ALLOCATE_DETAIL_SEARCH_EJECTION_SEARCH_HPP
#define REPEBBLE_ALLOCATE_DETAIL_SEARCH_EJECTION_SEARCH_HPP

// Local search for offsets below a capacity by ejection chains with dynamic weights: shapes that reach too high are
// taken out and put back one by one, each into the tightest free position or, if there is none, where the shapes that
// it ejects weigh least. A shape without a free position gains weight, so that cycles end. The portfolio uses it after
// the greedy planners and between runs of `offset_search`.
// Invariant: the shapes that are in the plan are disjoint and below the capacity; pinned shapes never move.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <repebble/allocate/detail/search/interval_index.hpp>
#include <repebble/allocate/detail/shapes/compact_shapes.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

/// Lowers the height of a plan by ejection chains.
class ejection_search {
  public:
    explicit ejection_search(compact_shapes const& c, std::uint64_t seed = 1) : c_(c), live_(c), random_(seed) {
        for (std::size_t s = 0; s < c.count(); ++s) {
            auto const area = static_cast<double>(c.size[s]) * static_cast<double>(c.lifetime[s]);
            base_weight_.push_back(static_cast<float>(std::floor(1 + 4 * std::pow(area, 0.1))));
        }
    }

    /// Changes offsets so that no shape ends above `capacity`. At first takes out every shape that ends above `part` of
    /// it; the largest return first. Returns false, with unusable offsets, if `work` runs out or stop() returns true
    /// before all are back. Work counts the pieces inspected; on return it is the remaining work.
    template <class Stop>
    auto run(std::vector<bytes>& offsets, bytes capacity, double part, std::int64_t& work, Stop&& stop) -> bool {
        weight_ = base_weight_;
        ejected_.clear();
        auto const kept = static_cast<bytes>(part * static_cast<double>(capacity));
        for (std::uint32_t s = 0; s < c_.count(); ++s) {
            auto const end = offsets[s] + c_.size[s];
            if (c_.pinned[s] != compact_shapes::nowhere || end <= kept) {
                if (end > capacity) return false;
                continue;
            }
            if (c_.size[s] > capacity) return false;
            offsets[s] = compact_shapes::nowhere;
            ejected_.push_back(s);
        }
        std::sort(ejected_.begin(), ejected_.end(),
                  [&](auto a, auto b) { return c_.size[a] != c_.size[b] ? c_.size[a] < c_.size[b] : a > b; });
        while (!ejected_.empty()) {
            if (work <= 0 || (++turns_ % 64 == 0 && stop())) return false;
            auto const s = take_next();
            find_obstacles(s, offsets, work);
            auto offset = tightest_position(s, capacity);
            if (offset == compact_shapes::nowhere) {
                weight_[s] += base_weight_[s];
                offset = least_ejection(s, capacity);
                if (offset == compact_shapes::nowhere) return false;
                for (auto const& o : obstacles_) {
                    if (!o.forbids(offset) || offsets[o.owner] == compact_shapes::nowhere) continue;
                    offsets[o.owner] = compact_shapes::nowhere;
                    ejected_.push_back(o.owner);
                }
            }
            offsets[s] = offset;
        }
        return true;
    }

  private:
    /// A piece that conflicts in time: it forbids the offsets strictly between two bounds.
    struct obstacle {
        bytes above;
        bytes below;
        std::uint32_t owner;
        float weight;
        [[nodiscard]] auto forbids(bytes offset) const -> bool { return above < offset && offset < below; }
    };

    [[nodiscard]] auto draw(std::size_t n) -> std::size_t {
        random_ = random_ * 6364136223846793005U + 1442695040888963407U;
        return (random_ >> 33) % n;
    }
    /// The heaviest of the last ejected shape and three random others.
    [[nodiscard]] auto take_next() -> std::uint32_t {
        auto best = ejected_.size() - 1;
        for (int tries = 0; tries < 3 && ejected_.size() > 1; ++tries) {
            auto const other = draw(ejected_.size());
            if (weight_[ejected_[other]] > weight_[ejected_[best]]) best = other;
        }
        std::swap(ejected_[best], ejected_.back());
        auto const s = ejected_.back();
        ejected_.pop_back();
        return s;
    }
    /// Sorts by a key: two passes of radix sort on the leading 16 bits, then insertion sort; keys spread over the arena
    /// make the rest short.
    template <class T, class Key>
    void sort_by(std::vector<T>& items, std::vector<T>& spare, Key key) {
        auto const less = [&](T const& a, T const& b) { return key(a) < key(b); };
        if (items.size() < 48) {
            std::sort(items.begin(), items.end(), less);
            return;
        }
        bytes greatest = 1;
        for (auto const& item : items) greatest = std::max(greatest, key(item));
        auto const shift = std::max(0, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(greatest))) - 16);
        spare.resize(items.size());
        for (auto const digit : {shift, shift + 8}) {
            std::array<std::uint32_t, 257> starts{};
            auto const place = [&](T const& item) {
                return static_cast<std::size_t>((std::max<bytes>(key(item), 0) >> digit) & 255);
            };
            for (auto const& item : items) ++starts[place(item) + 1];
            for (std::size_t d = 1; d < starts.size(); ++d) starts[d] += starts[d - 1];
            for (auto const& item : items) spare[starts[place(item)]++] = item;
            std::swap(items, spare);
        }
        for (std::size_t i = 1; i < items.size(); ++i) {
            if (!less(items[i], items[i - 1])) continue;
            auto const item = items[i];
            auto at = i;
            for (; at > 0 && less(item, items[at - 1]); --at) items[at] = items[at - 1];
            items[at] = item;
        }
    }
    /// The obstacles of a shape, by their lower bounds.
    void find_obstacles(std::uint32_t s, std::vector<bytes> const& offsets, std::int64_t& work) {
        obstacles_.clear();
        for (auto const& mine : c_.pieces_of(s))
            work -= live_.for_each_meeting(mine, [&](interval_index::entry const& e) {
                auto const offset = offsets[e.owner];
                if (offset == compact_shapes::nowhere || e.owner == s) return;
                auto const& other = live_.piece(e);
                auto const below = offset + other.upper - mine.lower;
                if (below <= 0) return;
                auto const weight = c_.pinned[e.owner] == compact_shapes::nowhere ? weight_[e.owner] : immovable;
                obstacles_.push_back({std::max<bytes>(offset + other.lower - mine.upper, -1), below, e.owner, weight});
            });
        sort_by(obstacles_, sorted_obstacles_, [](obstacle const& o) { return o.above; });
    }
    /// The free offset with the least space to the next obstacle above; `nowhere` if there is none.
    [[nodiscard]] auto tightest_position(std::uint32_t s, bytes capacity) const -> bytes {
        bytes free = 0;
        auto best = compact_shapes::nowhere;
        auto least = std::numeric_limits<bytes>::max();
        auto const consider = [&](bytes highest) {
            auto const offset = aligned(free, c_.alignment[s]);
            if (offset > highest || highest - offset >= least) return;
            least = highest - offset;
            best = offset;
        };
        auto const highest = capacity - c_.size[s];
        for (auto const& o : obstacles_) {
            if (free > highest) break;
            consider(std::min(o.above, highest));
            free = std::max(free, o.below);
        }
        consider(highest);
        return best;
    }
    /// An offset whose obstacles have the least total weight: right above or below an obstacle, or at an end of the
    /// arena. Ties at random.
    [[nodiscard]] auto least_ejection(std::uint32_t s, bytes capacity) -> bytes {
        ends_.clear();
        for (auto const& o : obstacles_) ends_.emplace_back(o.below, o.weight);
        sort_by(ends_, sorted_ends_, [](auto const& e) { return e.first; });
        auto best = compact_shapes::nowhere;
        auto least = std::numeric_limits<double>::infinity();
        std::size_t ties = 0;
        auto const highest = capacity - c_.size[s];
        auto const sweep = [&](auto const& offset_at, std::size_t count) {
            std::size_t begun = 0;
            std::size_t ended = 0;
            double weight = 0;  // exact: sums of integers
            for (std::size_t k = 0; k < count; ++k) {
                auto const offset = offset_at(k);
                if (offset < 0 || offset > highest) continue;
                for (; begun < obstacles_.size() && obstacles_[begun].above < offset; ++begun)
                    weight += static_cast<double>(obstacles_[begun].weight);
                for (; ended < ends_.size() && ends_[ended].first <= offset; ++ended)
                    weight -= static_cast<double>(ends_[ended].second);
                if (weight > least || weight >= static_cast<double>(immovable)) continue;
                if (weight < least) ties = 0;
                least = weight;
                if (draw(++ties) == 0) best = offset;
            }
        };
        auto const alignment = c_.alignment[s];
        auto const down = [&](bytes offset) { return offset < 0 ? offset : offset - offset % alignment; };
        // From any best offset the next obstacle's end below, and above, is another one: either sweep suffices.
        if (draw(2) == 0)
            sweep([&](std::size_t k) { return k == 0 ? 0 : aligned(ends_[k - 1].first, alignment); }, ends_.size() + 1);
        else
            sweep([&](std::size_t k) { return down(k == obstacles_.size() ? highest : obstacles_[k].above); },
                  obstacles_.size() + 1);
        return best;
    }

    static constexpr float immovable = 0x1p40F;  // exceeds the sum of all others

    compact_shapes const& c_;
    interval_index live_;
    std::uint64_t random_;
    std::uint64_t turns_ = 0;
    std::vector<float> base_weight_{};  // per shape: initial weight, by area; integers
    std::vector<float> weight_{};       // per shape
    std::vector<std::uint32_t> ejected_{};
    std::vector<obstacle> obstacles_{}, sorted_obstacles_{};
    std::vector<std::pair<bytes, float>> ends_{}, sorted_ends_{};
};

}  // namespace repebble::inline v0::detail

#endif
