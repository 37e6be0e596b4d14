#ifndef REPEBBLE_ALLOCATE_DETAIL_SEARCH_EJECTION_SEARCH_HPP
#define REPEBBLE_ALLOCATE_DETAIL_SEARCH_EJECTION_SEARCH_HPP

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

/// Lowers a plan of offsets by ejection: what reaches above a capacity is taken out; each shape that is out goes into
/// the tightest room that there is, or where what it drives out weighs least. A shape that finds no room grows heavier,
/// so that the same ones do not drive each other out for ever.
class ejection_search {
  public:
    explicit ejection_search(compact_shapes const& c, std::uint64_t seed = 1) : c_(c), live_(c), random_(seed) {
        for (std::size_t s = 0; s < c.count(); ++s) {
            auto const area = static_cast<double>(c.size[s]) * static_cast<double>(c.lifetime[s]);
            light_.push_back(static_cast<float>(std::floor(1 + 4 * std::pow(area, 0.1))));
        }
    }

    /// Changes offsets so that no shape reaches above `capacity`, beginning with those that reach above a part of it:
    /// all these are taken out at first, the largest to go in first. False, with offsets in disorder, where that does
    /// not succeed while `work` lasts or until stop() says so. Work counts the pieces looked at; what remains of it is
    /// left.
    template <class Stop>
    auto run(std::vector<bytes>& offsets, bytes capacity, double part, std::int64_t& work, Stop&& stop) -> bool {
        weight_ = light_;
        out_.clear();
        auto const kept = static_cast<bytes>(part * static_cast<double>(capacity));
        for (std::uint32_t s = 0; s < c_.count(); ++s) {
            auto const end = offsets[s] + c_.size[s];
            if (c_.pinned[s] != compact_shapes::nowhere || end <= kept) {
                if (end > capacity) return false;
                continue;
            }
            if (c_.size[s] > capacity) return false;
            offsets[s] = compact_shapes::nowhere;
            out_.push_back(s);
        }
        std::sort(out_.begin(), out_.end(),
                  [&](auto a, auto b) { return c_.size[a] != c_.size[b] ? c_.size[a] < c_.size[b] : a > b; });
        while (!out_.empty()) {
            if (work <= 0 || (++turns_ % 64 == 0 && stop())) return false;
            auto const s = take_one();
            find_obstacles(s, offsets, work);
            auto offset = tightest_room(s, capacity);
            if (offset == compact_shapes::nowhere) {
                weight_[s] += light_[s];
                offset = least_ejection(s, capacity);
                if (offset == compact_shapes::nowhere) return false;
                for (auto const& o : obstacles_) {
                    if (!o.forbids(offset) || offsets[o.owner] == compact_shapes::nowhere) continue;
                    offsets[o.owner] = compact_shapes::nowhere;
                    out_.push_back(o.owner);
                }
            }
            offsets[s] = offset;
        }
        return true;
    }

  private:
    /// A piece in the way: it forbids the offsets between two bounds, these not included.
    struct obstacle {
        bytes above;
        bytes below;
        std::uint32_t owner;
        float weight;
        [[nodiscard]] auto forbids(bytes offset) const -> bool { return above < offset && offset < below; }
    };

    [[nodiscard]] auto draw(std::size_t n) -> std::size_t {
        random_ = random_ * 6364136223846793005U + 1442695040888963407U;
        return static_cast<std::size_t>((random_ >> 33) % n);
    }
    /// The heaviest of the last that came and three others.
    [[nodiscard]] auto take_one() -> std::uint32_t {
        auto best = out_.size() - 1;
        for (int tries = 0; tries < 3 && out_.size() > 1; ++tries) {
            auto const other = draw(out_.size());
            if (weight_[out_[other]] > weight_[out_[best]]) best = other;
        }
        std::swap(out_[best], out_.back());
        auto const s = out_.back();
        out_.pop_back();
        return s;
    }
    /// Sorts by a key that is spread over the arena: by two digits of its part of the greatest, then by insertion.
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
    [[nodiscard]] auto tightest_room(std::uint32_t s, bytes capacity) const -> bytes {
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
    /// An offset at which the obstacles weigh least together: right above one or right below one, or at an end.
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
            double weight = 0;  // exact: sums of whole numbers
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
        // From any best offset a way down, and one up, leads past obstacles' ends only, to another: either will do.
        if (draw(2) == 0)
            sweep([&](std::size_t k) { return k == 0 ? 0 : aligned(ends_[k - 1].first, alignment); }, ends_.size() + 1);
        else
            sweep([&](std::size_t k) { return down(k == obstacles_.size() ? highest : obstacles_[k].above); },
                  obstacles_.size() + 1);
        return best;
    }

    static constexpr float immovable = 0x1p40F;  // more than all others together

    compact_shapes const& c_;
    interval_index live_;
    std::uint64_t random_;
    std::uint64_t turns_ = 0;
    std::vector<float> light_{};   // per shape: what it weighs at first, more if it is large or long; whole numbers
    std::vector<float> weight_{};  // per shape
    std::vector<std::uint32_t> out_{};
    std::vector<obstacle> obstacles_{}, sorted_obstacles_{};
    std::vector<std::pair<bytes, float>> ends_{}, sorted_ends_{};
};

}  // namespace repebble::inline v0::detail

#endif
