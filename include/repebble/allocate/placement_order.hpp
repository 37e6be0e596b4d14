#ifndef REPEBBLE_ALLOCATE_PLACEMENT_ORDER_HPP
#define REPEBBLE_ALLOCATE_PLACEMENT_ORDER_HPP

// Priority orders of greedy placement: a score for each buffer from its size, its lifetime and the load beside it.
// `fit_offsets` takes one order; the portfolio of `assign_offsets` tries several.

#include <cstdint>
#include <vector>

#include <repebble/allocate/detail/shapes/compact_shapes.hpp>

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
[[nodiscard]] auto loads_of(compact_shapes const& c) -> std::vector<bytes>;

/// The shapes by descending priority.  O(n log n).
[[nodiscard]] auto ordered(compact_shapes const& c, std::vector<bytes> const& loads, placement_order const& order)
    -> std::vector<std::uint32_t>;

}  // namespace detail

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/allocate/placement_order.ipp>
#endif

#endif
