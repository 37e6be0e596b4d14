#ifndef REPEBBLE_ALLOCATE_PLACEMENT_ORDER_HPP
#define REPEBBLE_ALLOCATE_PLACEMENT_ORDER_HPP

// Priority orders of greedy placement: a score for each buffer from its size, its lifetime and the load beside it.
// `first_fit` and `best_fit` take one order; the portfolio of `assign_offsets` tries several.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <repebble/allocate/detail/shapes/compact_shapes.hpp>
#include <repebble/detail/sort_by.hpp>

namespace repebble::inline v0 {

/// Weights of a buffer's priority: size · log(bytes) + lifetime · log(time) + load · (greatest live bytes during the
/// lifetime, as a share of the greatest ever). Buffers are placed by descending priority; ties go to the longer lived
/// first if `longer_first`, then to the earlier.
struct placement_order {
    double size = 1;
    double lifetime = 0;        ///< weight of the length of the lifetime
    double load = 0;            ///< weight of the load during the lifetime
    bool longer_first = false;  ///< among equal priorities the longer lived comes first
    friend constexpr auto operator==(placement_order const&, placement_order const&) -> bool = default;
};

inline constexpr placement_order largest_first{};
inline constexpr placement_order longest_first{.size = 0, .lifetime = 1};
inline constexpr placement_order greatest_area_first{.size = 1, .lifetime = 1};
inline constexpr placement_order earliest_first{.size = 0};

namespace detail {

/// The greatest live bytes during the lifetime of each shape, from a segment tree of maxima.  O(sections + pieces ·
/// log).
[[nodiscard]] inline auto loads_of(compact_shapes const& c) -> std::vector<bytes> {
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

/// The shapes by descending priority.  O(n log n).
[[nodiscard]] inline auto ordered(compact_shapes const& c, std::vector<bytes> const& loads,
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

}  // namespace detail

}  // namespace repebble::inline v0

#endif
