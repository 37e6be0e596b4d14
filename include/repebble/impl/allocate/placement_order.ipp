#ifndef REPEBBLE_IMPL_ALLOCATE_PLACEMENT_ORDER_IPP
#define REPEBBLE_IMPL_ALLOCATE_PLACEMENT_ORDER_IPP

#include <repebble/allocate/placement_order.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/detail/sort_by.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto loads_of(compact_shapes const& c) -> std::vector<bytes> {
    auto const leaves = c.sections();
    std::vector<bytes> greatest(2 * leaves);
    std::copy(c.load.begin(), c.load.end(), greatest.begin() + static_cast<std::ptrdiff_t>(leaves));
    for (auto node = leaves; node-- > 1;) greatest[node] = std::max(greatest[2 * node], greatest[2 * node + 1]);
    std::vector<bytes> loads(c.count(), 0);
    for (std::size_t s = 0; s < c.count(); ++s)
        for (auto const& p : c.pieces_of(s))
            for (auto first = p.first + leaves, last = p.last + leaves; first < last; first /= 2, last /= 2) {
                if (first % 2 == 1) loads[s] = std::max(loads[s], greatest[first++]);
                if (last % 2 == 1) loads[s] = std::max(loads[s], greatest[--last]);
            }
    return loads;
}

/// Whether a weight is not zero.
[[nodiscard]] constexpr auto has_weight(double weight) noexcept -> bool { return weight < 0 || weight > 0; }

REPEBBLE_INLINE auto ordered(compact_shapes const& c, std::vector<bytes> const& loads,
                                  placement_order const& order) -> std::vector<std::uint32_t> {
    std::vector<double> keys;
    std::vector<std::uint32_t> shapes;
    for (std::uint32_t s = 0; s < c.count(); ++s) {
        double key = 0;
        if (has_weight(order.size)) key += order.size * std::log(static_cast<double>(c.size[s]));
        if (has_weight(order.lifetime)) key += order.lifetime * std::log(static_cast<double>(c.lifetime[s]));
        if (has_weight(order.load))
            key += order.load * static_cast<double>(loads[s]) / static_cast<double>(c.most_live);
        keys.push_back(key);
        shapes.push_back(s);
    }
    sort_numbers(shapes, [&](std::uint32_t a, std::uint32_t b) {
        if (keys[a] > keys[b]) return true;
        return !(keys[a] < keys[b]) && order.longer_first && c.lifetime[a] > c.lifetime[b];
    });
    return shapes;
}

}  // namespace repebble::inline v0::detail

#endif
