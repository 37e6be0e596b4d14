#ifndef REPEBBLE_IMPL_ORDERS_TYPICAL_SEQUENCE_IPP
#define REPEBBLE_IMPL_ORDERS_TYPICAL_SEQUENCE_IPP

#include <repebble/orders/detail/typical_sequence.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE void append_typical(std::vector<profile_point>& points, std::size_t first, profile_point point) {
    if (points.size() > first && points.back().size == point.size) {
        if (points.back().after == profile_point::at_a_step) points.back() = point;
        return;
    }
    auto keep = points.size();
    auto low = point.size, high = point.size;  // of the points from k on
    for (auto k = points.size(); k-- > first;) {
        auto const [least, most] = std::minmax(points[k].size, point.size);
        if (least <= low && high <= most) keep = k + 1;
        low = std::min(low, points[k].size);
        high = std::max(high, points[k].size);
    }
    points.resize(keep);
    points.push_back(point);
}

REPEBBLE_INLINE auto is_at_most(std::span<profile_point const> a, std::span<profile_point const> b) -> bool {
    constexpr std::size_t longest = 64;
    if (b.size() > longest) return false;
    std::uint64_t reached = 0, before = 1;  // bit j: a[..i] can be stretched to be at most b[..j]; where from
    for (auto const& point : a) {
        reached = 0;
        bool left = false;
        for (std::size_t j = 0; j < b.size(); ++j) {
            left = point.size <= b[j].size && (left || (before >> j & 1U) != 0);
            reached |= std::uint64_t{left} << j;
        }
        before = reached | (reached << 1U);
    }
    return (reached >> (b.size() - 1) & 1U) != 0;
}

}  // namespace repebble::inline v0::detail

#endif
