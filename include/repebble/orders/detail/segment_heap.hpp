#ifndef REPEBBLE_ORDERS_DETAIL_SEGMENT_HEAP_HPP
#define REPEBBLE_ORDERS_DETAIL_SEGMENT_HEAP_HPP

// Hill-valley segments of trees in mergeable heaps (leftist trees: Crane 1972), the last segment of the best order on
// top. Used by `liu_order`.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

/// Segments of orders: operations that run without a break. Each is known by its first operation's number. Of
/// independent segments, those that free bytes come first, the lowest hills before others, then the others by hill
/// minus valley, the largest first (Abdel-Wahab, Kameda 1978; for trees Liu 1987).
class segment_heap {
  public:
    using index = std::uint32_t;
    static constexpr index none = std::numeric_limits<index>::max();

    explicit segment_heap(std::size_t operations) : segments_(operations) {}

    /// Makes a segment of one operation: bytes above those before it, while it runs and after it.
    auto make(index v, bytes hill, bytes valley) -> index {
        segments_[v] = {.hill = hill, .valley = valley, .last = v, .number = ++made_};
        return v;
    }
    /// One segment that runs b right after a.
    auto join(index a, index b) -> index {
        auto &x = segments_[a], &y = segments_[b];
        x.hill = std::max(x.hill, x.valley + y.hill);
        x.valley += y.valley;
        segments_[x.last].next = b;
        x.last = y.last;
        x.number = y.number;  // what follows it depends on b
        x.left = x.right = none;
        x.rank = 1;
        return a;
    }
    /// Whether segment a runs before b where they are independent.
    [[nodiscard]] auto precedes(index a, index b) const -> bool {
        auto const &x = segments_[a], &y = segments_[b];
        if ((x.valley < 0) != (y.valley < 0)) return x.valley < 0;
        auto const gain = x.valley < 0 ? y.hill - x.hill : (x.hill - x.valley) - (y.hill - y.valley);
        return gain != 0 ? gain > 0 : x.number < y.number;
    }
    /// Merges two heaps.  O(log segments).
    auto meld(index a, index b) -> index {
        if (a == none) return b;
        if (b == none) return a;
        if (precedes(a, b)) std::swap(a, b);
        auto& x = segments_[a];
        x.right = meld(x.right, b);
        if (x.left == none || segments_[x.left].rank < segments_[x.right].rank) std::swap(x.left, x.right);
        x.rank = x.right == none ? 1 : segments_[x.right].rank + 1;
        return a;
    }
    /// The heap without its top.
    auto pop(index a) -> index { return meld(segments_[a].left, segments_[a].right); }
    /// Calls f(v) for the operations of a segment, in their order.
    template <class F>
    void for_each(index a, F&& f) const {
        for (auto v = a; v != none; v = segments_[v].next) f(v);
    }

  private:
    struct segment {
        bytes hill = 0, valley = 0;
        index next = none;  // operation of the same segment
        index last = none;  // operation of the segment
        index left = none, right = none;
        std::uint32_t rank = 1;
        std::uint32_t number = 0;  // of its last operation: later than those on which it depends
    };

    std::vector<segment> segments_;  // by operation
    std::uint32_t made_ = 0;
};

}  // namespace repebble::inline v0::detail

#endif
