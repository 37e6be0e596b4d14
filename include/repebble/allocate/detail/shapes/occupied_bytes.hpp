#ifndef REPEBBLE_ALLOCATE_DETAIL_SHAPES_OCCUPIED_BYTES_HPP
#define REPEBBLE_ALLOCATE_DETAIL_SHAPES_OCCUPIED_BYTES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <repebble/allocate/buffer.hpp>
#include <repebble/allocate/detail/shapes/compact_shapes.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

/// Disjoint intervals of bytes in ascending order; such as touch are one.
class byte_set {
  public:
    [[nodiscard]] auto intervals() const noexcept -> std::span<interval const> { return intervals_; }
    void clear() noexcept { intervals_.clear(); }

    /// Adds an interval; false where it was in the set.  O(log n) to find it, and a move of what lies above.
    auto add(interval const& i) -> bool {
        auto const first = std::partition_point(intervals_.begin(), intervals_.end(),
                                                [&](interval const& x) { return x.upper < i.lower; });
        if (first == intervals_.end() || first->lower > i.upper) {
            intervals_.insert(first, i);
            return true;
        }
        if (first->contains(i)) return false;
        auto joined = interval{std::min(first->lower, i.lower), i.upper};
        auto last = first;
        for (; last != intervals_.end() && last->lower <= i.upper; ++last)
            joined.upper = std::max(i.upper, last->upper);
        *first = joined;
        intervals_.erase(first + 1, last);
        return true;
    }

  private:
    std::vector<interval> intervals_;
};

/// Which bytes are taken in which sections, and where a shape fits. A segment tree over the sections: a node knows the
/// bytes that something takes in all of its sections (`whole`) and in any of them (`some`). Where memory is dense these
/// are few intervals, however many shapes there are: a search leaps from one to the next.
class occupied_bytes {
  public:
    explicit occupied_bytes(std::size_t sections) {
        while (leaves_ < sections) leaves_ *= 2;
        whole_.resize(2 * leaves_);
        some_.resize(leaves_);  // a leaf's are its whole_
    }

    void clear() {
        for (auto& set : whole_) set.clear();
        for (auto& set : some_) set.clear();
    }

    /// Takes the bytes of a shape that lies at an offset.  O(log sections) sets per piece.
    void take(std::span<compact_piece const> pieces, bytes offset) {
        for (auto const& p : pieces) {
            interval const taken{offset + p.lower, offset + p.upper};
            for_each_node(p, [&](std::size_t node) {
                whole_[node].add(taken);
                if (node < leaves_) some_[node].add(taken);
                for (node /= 2; node > 0 && some_[node].add(taken);) node /= 2;
            });
        }
    }

    /// The lowest offset, a multiple of `alignment` and not below `from`, at which all pieces are free.
    [[nodiscard]] auto first_fit(std::span<compact_piece const> pieces, bytes alignment, bytes from = 0) -> bytes {
        look_at(pieces);
        return leap(from, alignment);
    }
    /// The offset with the least room to spare above the least one; the lowest of equals. Above all others there is
    /// room without end.
    [[nodiscard]] auto best_fit(std::span<compact_piece const> pieces, bytes alignment) -> bytes {
        look_at(pieces);
        bytes best = 0;
        bytes least = std::numeric_limits<bytes>::max();
        for (bytes from = 0;;) {
            auto const offset = leap(from, alignment);
            bytes ceiling = std::numeric_limits<bytes>::max();
            for (auto const& l : looks_)
                if (l.at != l.end) ceiling = std::min(ceiling, l.at->lower - l.upper);
            if (ceiling == std::numeric_limits<bytes>::max()) return least == ceiling ? offset : best;
            if (ceiling - offset < least) {
                least = ceiling - offset;
                best = offset;
            }
            from = ceiling + 1;
        }
    }
    /// Whether all pieces are free at an offset.
    [[nodiscard]] auto is_free(std::span<compact_piece const> pieces, bytes offset) -> bool {
        return first_fit(pieces, 1, offset) == offset;
    }

  private:
    /// A set in the way of a piece with the bytes [lower, upper), and the first of its intervals that may be.
    struct look {
        interval const* at;
        interval const* end;
        bytes lower;
        bytes upper;
    };

    /// The fewest nodes that together are the sections of a piece.
    template <class F>
    void for_each_node(compact_piece const& p, F&& f) const {
        auto first = p.first + leaves_;
        auto last = p.last + leaves_;
        for (; first < last; first /= 2, last /= 2) {
            if (first % 2 == 1) f(first++);
            if (last % 2 == 1) f(--last);
        }
    }
    void look_at(std::span<compact_piece const> pieces) {
        looks_.clear();
        for (auto const& p : pieces) {
            auto const add = [&](byte_set const& set) {
                auto const all = set.intervals();
                if (!all.empty()) looks_.push_back({all.data(), all.data() + all.size(), p.lower, p.upper});
            };
            for_each_node(p, [&](std::size_t node) { add(node < leaves_ ? some_[node] : whole_[node]); });
            // The nodes above those: the ancestors of the two outermost leaves that are not inside the piece.
            auto left = p.first + leaves_;
            auto right = p.last - 1 + leaves_;
            for (std::size_t width = 2; left /= 2, right /= 2, left > 0; width *= 2) {
                auto const inside = [&](std::size_t node) {
                    auto const begin = node * width - leaves_;
                    return begin >= p.first && begin + width <= p.last;
                };
                if (!inside(left)) add(whole_[left]);
                if (right != left && !inside(right)) add(whole_[right]);
            }
        }
    }
    /// From `offset` upwards to where nothing is in the way; the looks move on to what lies above.
    [[nodiscard]] auto leap(bytes offset, bytes alignment) -> bytes {
        offset = aligned(offset, alignment);
        for (std::size_t i = 0, quiet = 0; quiet < looks_.size(); i = i + 1 == looks_.size() ? 0 : i + 1) {
            auto& l = looks_[i];
            while (l.at != l.end && l.at->upper <= offset + l.lower) ++l.at;
            ++quiet;
            for (; l.at != l.end && l.at->lower < offset + l.upper; ++l.at) {
                if (l.at->upper <= offset + l.lower) continue;
                offset = aligned(l.at->upper - l.lower, alignment);
                quiet = 1;
            }
        }
        return offset;
    }

    std::size_t leaves_ = 1;
    std::vector<byte_set> whole_{}, some_{};  // per node; node 1 is the root
    std::vector<look> looks_{};
};

}  // namespace repebble::inline v0::detail

#endif
