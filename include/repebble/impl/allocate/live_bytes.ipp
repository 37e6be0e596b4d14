#ifndef REPEBBLE_IMPL_ALLOCATE_LIVE_BYTES_IPP
#define REPEBBLE_IMPL_ALLOCATE_LIVE_BYTES_IPP

#include <repebble/allocate/live_bytes.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <repebble/allocate/detail/shapes/buffer_shapes.hpp>
#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0 {

REPEBBLE_INLINE auto find_live_bytes(std::span<buffer const> buffers) -> live_bytes {
    auto const shapes = detail::shapes_of(buffers);
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

}  // namespace repebble::inline v0

#endif
