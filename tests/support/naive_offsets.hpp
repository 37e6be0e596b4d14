#ifndef REPEBBLE_TESTS_SUPPORT_NAIVE_OFFSETS_HPP
#define REPEBBLE_TESTS_SUPPORT_NAIVE_OFFSETS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/allocate/buffer.hpp>

#include "support/generators.hpp"
#include "support/random_buffers.hpp"

// Offsets of small cases by definition: every byte at every time is checked.

namespace support {

/// Buffers with their aliases, as the bytes that they have at every time: bit b of `at[time]`.
struct naive_shape {
    std::vector<std::uint64_t> at{};
    repebble::bytes size = 0;
    repebble::bytes alignment = 1;
    std::optional<repebble::bytes> pinned{};
    std::size_t root = 0;
    std::vector<std::size_t> members{};  // the root and its aliases
};

/// The shapes of buffers that live before `times` and have less than 64 bytes.
[[nodiscard]] inline auto naive_shapes(std::vector<repebble::buffer> const& buffers, std::int64_t times)
    -> std::vector<naive_shape> {
    std::vector<naive_shape> all;
    for (std::size_t root = 0; root < buffers.size(); ++root) {
        if (buffers[root].alias_of) continue;
        naive_shape s{.pinned = buffers[root].pinned, .root = root};
        s.at.assign(static_cast<std::size_t>(times), 0);
        for (std::size_t i = 0; i < buffers.size(); ++i) {
            auto const& b = buffers[i];
            if (i != root && b.alias_of != root) continue;
            s.members.push_back(i);
            s.size = std::max(s.size, b.size);
            s.alignment = std::lcm(s.alignment, b.alignment);
            for (std::int64_t t = 0; t < times; ++t)
                for (repebble::bytes byte = 0; byte < b.size; ++byte)
                    if (has_byte(b, 0, t, byte)) s.at[static_cast<std::size_t>(t)] |= std::uint64_t{1} << byte;
        }
        all.push_back(std::move(s));
    }
    return all;
}

[[nodiscard]] inline auto collide(naive_shape const& a, repebble::bytes at_a, naive_shape const& b,
                                  repebble::bytes at_b) -> bool {
    if (at_a > at_b) return collide(b, at_b, a, at_a);
    auto const apart = at_b - at_a;
    if (apart >= 64) return false;
    for (std::size_t t = 0; t < a.at.size(); ++t)
        if (((a.at[t] >> apart) & b.at[t]) != 0) return true;
    return false;
}

/// Places shapes one after the other by trying every offset. Shapes without bytes or without lifetime are at 0.
class naive_planner {
  public:
    naive_planner(std::vector<repebble::buffer> const& buffers, std::int64_t times)
        : shapes_(naive_shapes(buffers, times)), offsets_(shapes_.size()), count_(buffers.size()) {
        for (std::size_t s = 0; s < shapes_.size(); ++s) {
            offsets_[s] = shapes_[s].pinned;
            reach_ += shapes_[s].size + shapes_[s].alignment + shapes_[s].pinned.value_or(0);
        }
    }
    [[nodiscard]] auto shapes() const -> std::vector<naive_shape> const& { return shapes_; }

    /// Places the shapes that are not empty; `order` lists numbers of shapes.
    [[nodiscard]] auto in_order(std::vector<std::size_t> const& order, bool best) -> std::vector<repebble::bytes> {
        for (auto const s : order)
            if (!offsets_[s]) offsets_[s] = best ? tightest(s) : lowest(s);
        return of_buffers();
    }
    /// The least height of all plans, and a plan of it, found by trying every offset of every shape.
    [[nodiscard]] auto least_height() -> repebble::bytes {
        repebble::bytes height = 0;
        for (auto const& s : shapes_) height = std::max(height, s.pinned.value_or(0) + s.size);
        while (!fits(height, 0)) ++height;
        return height;
    }
    [[nodiscard]] auto of_buffers() const -> std::vector<repebble::bytes> {
        std::vector<repebble::bytes> all(count_);
        for (std::size_t s = 0; s < shapes_.size(); ++s)
            for (auto const i : shapes_[s].members) all[i] = offsets_[s].value_or(0);
        return all;
    }

  private:
    [[nodiscard]] auto is_free(std::size_t s, repebble::bytes offset) const -> bool {
        for (std::size_t other = 0; other < shapes_.size(); ++other)
            if (other != s && offsets_[other] && collide(shapes_[s], offset, shapes_[other], *offsets_[other]))
                return false;
        return true;
    }
    [[nodiscard]] auto lowest(std::size_t s) const -> repebble::bytes {
        repebble::bytes offset = 0;
        while (!is_free(s, offset)) offset += shapes_[s].alignment;
        return offset;
    }
    [[nodiscard]] auto tightest(std::size_t s) const -> repebble::bytes {
        repebble::bytes best = 0, least = std::numeric_limits<repebble::bytes>::max();
        repebble::bytes from = -1;  // the lowest offset of the current gap, if any
        for (repebble::bytes offset = 0; offset <= reach_; ++offset) {
            if (!is_free(s, offset)) {
                if (from >= 0 && offset - from < least) {
                    least = offset - from;
                    best = from;
                }
                from = -1;
            } else if (from < 0 && offset % shapes_[s].alignment == 0) {
                from = offset;
            }
        }
        return least == std::numeric_limits<repebble::bytes>::max() ? from : best;
    }
    [[nodiscard]] auto fits(repebble::bytes height, std::size_t s) -> bool {
        if (s == shapes_.size()) return true;
        if (shapes_[s].pinned) return is_free(s, *shapes_[s].pinned) && fits(height, s + 1);
        for (repebble::bytes offset = 0; offset + shapes_[s].size <= height; offset += shapes_[s].alignment) {
            offsets_[s].reset();
            if (!is_free(s, offset)) continue;
            offsets_[s] = offset;
            if (fits(height, s + 1)) return true;
        }
        offsets_[s].reset();
        return false;
    }

    std::vector<naive_shape> shapes_;
    std::vector<std::optional<repebble::bytes>> offsets_;
    std::size_t count_;
    repebble::bytes reach_ = 0;  // no planner goes higher
};

/// The features of random buffers.
struct buffer_kinds {
    std::size_t aligned_percent = 0;
    std::size_t pinned_percent = 0;
    std::size_t alias_percent = 0;
    bool gaps = false;
};

/// Random buffers with every feature; pinned ones do not overlap.
[[nodiscard]] inline auto random_arena(split_mix& random, std::size_t n, std::int64_t times, std::int64_t most,
                                       buffer_kinds const& kinds) -> std::vector<repebble::buffer> {
    auto all = random_buffers(random, n, times, most);
    for (auto& b : all) {
        if (!kinds.gaps) b.gaps.clear();
        if (chance(random, kinds.aligned_percent)) b.alignment = between(random, 2, 4);
    }
    for (std::size_t i = 0; i < n; ++i) {
        auto const root = below(random, n);
        if (root != i && !all[root].alias_of && chance(random, kinds.alias_percent) &&
            std::ranges::none_of(all, [&](auto const& b) { return b.alias_of == i; }))
            all[i].alias_of = root;
    }
    auto const shapes = naive_shapes(all, times);
    for (auto const& s : shapes) {
        if (!chance(random, kinds.pinned_percent)) continue;
        auto const at = s.alignment * between(random, 0, 2 * most / s.alignment);
        bool const apart = std::ranges::none_of(shapes, [&](auto const& other) {
            auto const& pinned = all[other.root].pinned;
            return pinned && collide(s, at, other, *pinned);
        });
        if (apart) all[s.root].pinned = at;
    }
    return all;
}

/// Buffers that fill an arena of `height` bytes to the last one: the arena is cut in two again and again.
[[nodiscard]] inline auto cut_arena(split_mix& random, std::size_t n, repebble::bytes height)
    -> std::vector<repebble::buffer> {
    std::vector<repebble::buffer> all{{.lifetime = {0, static_cast<std::int64_t>(n)}, .size = height}};
    while (all.size() < n) {
        auto& whole = all[below(random, all.size())];
        auto part = whole;
        if (chance(random, 50) && whole.size > 1) {
            part.size = between(random, 1, whole.size - 1);
            whole.size -= part.size;
        } else if (whole.lifetime.upper - whole.lifetime.lower > 1) {
            part.lifetime.lower = between(random, whole.lifetime.lower + 1, whole.lifetime.upper - 1);
            whole.lifetime.upper = part.lifetime.lower;
        } else {
            continue;
        }
        all.push_back(part);
    }
    return all;
}

}  // namespace support

#endif
