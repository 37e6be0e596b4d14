#ifndef REPEBBLE_ALLOCATE_LIVE_BYTES_HPP
#define REPEBBLE_ALLOCATE_LIVE_BYTES_HPP

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

/// The greatest number of bytes that buffers hold at a time, gaps respected, aliases counted once, and when first. No
/// plan of offsets needs less.
struct live_bytes {
    bytes most = 0;
    std::int64_t when = 0;
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

/// O(n log n).  Throws bad_buffer where a buffer cannot be, bad_weight where a sum does not fit in 64 bits.
inline constexpr detail::greatest_live_bytes_fn greatest_live_bytes{};

}  // namespace repebble::inline v0

#endif
