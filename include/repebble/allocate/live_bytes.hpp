#ifndef REPEBBLE_ALLOCATE_LIVE_BYTES_HPP
#define REPEBBLE_ALLOCATE_LIVE_BYTES_HPP

// The greatest number of live bytes of a set of buffers, by a sweep over the begins and ends of their pieces. It is the
// basic lower bound on the height of every plan of offsets; `plan_arena` reports it as the peak.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <repebble/allocate/buffer.hpp>
#include <repebble/allocate/detail/shapes/buffer_shapes.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0 {

/// A greatest number of live bytes, and the first time at which it occurs.
struct live_bytes {
    bytes most = 0;         ///< gaps respected, aliases counted once
    std::int64_t when = 0;  ///< in the unit of the lifetimes
    friend constexpr auto operator==(live_bytes const&, live_bytes const&) -> bool = default;
};

namespace detail {
struct greatest_live_bytes_fn {
    [[nodiscard]] auto operator()(std::span<buffer const> buffers) const -> live_bytes {
        auto const shapes = shapes_of(buffers);
        std::vector<std::pair<std::int64_t, bytes>> changes;  // at a time, ends before begins
        for (std::size_t s = 0; s < shapes.pieces.size(); ++s)
            for (auto const& p : shapes.pieces[s]) {
                changes.emplace_back(p.lifetime.lower, p.bytes.upper - p.bytes.lower);
                changes.emplace_back(p.lifetime.upper, p.bytes.lower - p.bytes.upper);
            }
        std::ranges::sort(changes);
        live_bytes greatest;
        bytes now = 0;
        for (auto const& [when, change] : changes) {
            now = checked_add(now, change, "live bytes");
            if (now > greatest.most) greatest = {now, when};
        }
        return greatest;
    }
};
}  // namespace detail

/// The greatest number of bytes that buffers need at any time; no plan of offsets has a lower height.  O(n log n).
/// Throws bad_buffer if a buffer is invalid, bad_weight if a sum does not fit in 64 bits.
inline constexpr detail::greatest_live_bytes_fn greatest_live_bytes{};

}  // namespace repebble::inline v0

#endif
