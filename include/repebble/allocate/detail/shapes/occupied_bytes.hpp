#ifndef REPEBBLE_ALLOCATE_DETAIL_SHAPES_OCCUPIED_BYTES_HPP
#define REPEBBLE_ALLOCATE_DETAIL_SHAPES_OCCUPIED_BYTES_HPP

// The occupied bytes of a partial plan: a segment tree over the sections whose nodes hold sets of disjoint byte
// intervals. First fit and best fit query it; the queries skip from one occupied interval to the next, and where memory
// is dense these are few, however many shapes there are.
// Invariant: `whole` of a node is occupied in all of its sections, `some` of an inner node in at least one of them.

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

/// A set of bytes as disjoint intervals in ascending order; adjacent intervals are merged.
class byte_set {
  public:
    [[nodiscard]] auto intervals() const noexcept -> std::span<interval const> { return intervals_; }
    void clear() noexcept { intervals_.clear(); }

    /// Adds an interval; false if the set contained it.  O(log n) to find it, and a move of the intervals above.
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

/// The occupied bytes of every section, and the free positions of shapes among them.
class occupied_bytes {
  public:
    explicit occupied_bytes(std::size_t sections) {
        while (leaves_ < sections) leaves_ *= 2;
        whole_.resize(2 * leaves_);
        some_.resize(leaves_);  // of a leaf: its whole_
    }

    void clear() {
        for (auto& set : whole_) set.clear();
        for (auto& set : some_) set.clear();
    }

    /// Occupies the bytes of a shape at an offset.  O(log sections) sets per piece.
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

    /// The lowest multiple of `alignment`, not below `from`, at which all pieces are free.
    [[nodiscard]] auto first_fit(std::span<compact_piece const> pieces, bytes alignment, bytes from = 0) -> bytes {
        collect_cursors(pieces);
        return leap(from, alignment);
    }
    /// The offset with the least free space between the shape and the next occupied byte above; the lowest of equals.
    /// Above all occupied bytes the free space is unlimited.
    [[nodiscard]] auto best_fit(std::span<compact_piece const> pieces, bytes alignment) -> bytes {
        collect_cursors(pieces);
        bytes best = 0;
        bytes least = std::numeric_limits<bytes>::max();
        for (bytes from = 0;;) {
            auto const offset = leap(from, alignment);
            bytes ceiling = std::numeric_limits<bytes>::max();
            for (auto const& c : cursors_)
                if (c.at != c.end) ceiling = std::min(ceiling, c.at->lower - c.upper);
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
    /// A set of occupied bytes to check for a piece with the bytes [lower, upper), and a cursor to its first relevant
    /// interval.
    struct cursor {
        interval const* at;
        interval const* end;
        bytes lower;
        bytes upper;
    };

    /// Calls f with the minimal set of nodes whose sections together are those of a piece.
    template <class F>
    void for_each_node(compact_piece const& p, F&& f) const {
        auto first = p.first + leaves_;
        auto last = p.last + leaves_;
        for (; first < last; first /= 2, last /= 2) {
            if (first % 2 == 1) f(first++);
            if (last % 2 == 1) f(--last);
        }
    }
    void collect_cursors(std::span<compact_piece const> pieces) {
        cursors_.clear();
        for (auto const& p : pieces) {
            auto const add = [&](byte_set const& set) {
                auto const all = set.intervals();
                if (!all.empty()) cursors_.push_back({all.data(), all.data() + all.size(), p.lower, p.upper});
            };
            for_each_node(p, [&](std::size_t node) { add(node < leaves_ ? some_[node] : whole_[node]); });
            // Their ancestors: those of the two outermost leaves that are not inside the piece.
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
    /// The lowest aligned free offset at or above `offset`; moves the cursors up to it.
    [[nodiscard]] auto leap(bytes offset, bytes alignment) -> bytes {
        offset = aligned(offset, alignment);
        for (std::size_t i = 0, quiet = 0; quiet < cursors_.size(); i = i + 1 == cursors_.size() ? 0 : i + 1) {
            auto& c = cursors_[i];
            while (c.at != c.end && c.at->upper <= offset + c.lower) ++c.at;
            ++quiet;
            for (; c.at != c.end && c.at->lower < offset + c.upper; ++c.at) {
                if (c.at->upper <= offset + c.lower) continue;
                offset = aligned(c.at->upper - c.lower, alignment);
                quiet = 1;
            }
        }
        return offset;
    }

    std::size_t leaves_ = 1;
    std::vector<byte_set> whole_{}, some_{};  // per node; node 1 is the root
    std::vector<cursor> cursors_{};
};

}  // namespace repebble::inline v0::detail

#endif
