#ifndef REPEBBLE_ALLOCATE_FIRST_FIT_HPP
#define REPEBBLE_ALLOCATE_FIRST_FIT_HPP

// Greedy placement of buffers, first fit and best fit, in a given priority order. The occupied bytes are kept in a
// segment tree of byte intervals (`occupied_bytes`). Both are the starting planners of `assign_offsets`.
// Invariant: pinned shapes are placed first, and no placed shape moves.

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <repebble/allocate/buffer.hpp>
#include <repebble/allocate/detail/shapes/buffer_shapes.hpp>
#include <repebble/allocate/detail/shapes/compact_shapes.hpp>
#include <repebble/allocate/detail/shapes/occupied_bytes.hpp>
#include <repebble/allocate/placement_order.hpp>

namespace repebble::inline v0 {

namespace detail {

/// An offset for each shape, and the height of the plan.
struct shape_offsets {
    std::vector<bytes> offsets{};
    bytes height = 0;
};

/// The free position that a shape gets: the lowest, or the one with the least free space above it.
enum class fit : std::uint8_t { first, best };

/// Places the shapes one after the other, pinned ones first. Stops with an incomplete plan as soon as its height
/// reaches `enough`.
[[nodiscard]] auto place_in_order(compact_shapes const& c, occupied_bytes& occupied,
                                  std::span<std::uint32_t const> order, fit rule,
                                  bytes enough = std::numeric_limits<bytes>::max()) -> shape_offsets;

/// Throws bad_buffer, naming both, if two pinned buffers overlap.
void require_pins_apart(std::span<buffer const> buffers);

/// Translates offsets of compact shapes into offsets of the caller's buffers. A buffer without bytes or time gets its
/// pin, or 0.
[[nodiscard]] auto offsets_of_buffers(std::span<buffer const> buffers, buffer_shapes const& shapes,
                                      compact_shapes const& c, std::span<bytes const> offsets) -> std::vector<bytes>;

template <fit How>
struct fit_fn {
    [[nodiscard]] auto operator()(std::span<buffer const> buffers, placement_order const& order = largest_first) const
        -> std::vector<bytes> {
        auto const shapes = shapes_of(buffers);
        require_pins_apart(buffers);
        auto const c = compact(shapes);
        occupied_bytes occupied(c.sections());
        auto const found = place_in_order(c, occupied, ordered(c, loads_of(c), order), How);
        return offsets_of_buffers(buffers, shapes, c, found.offsets);
    }
};

}  // namespace detail

/// First fit: in the given order each buffer gets the lowest offset at which it is disjoint from all placed before it.
/// `earliest_first` is an online allocator. No approximation guarantee.
/// n searches that skip from one occupied interval to the next: as a rule 0.2 s for 10⁵ buffers, 4 s for 10⁶. Where
/// each skips most of them O(n² log n): of the buffers of a tree, longest first, 10⁵ take about 10 s.
/// Throws bad_buffer if a buffer is invalid or two pinned ones overlap, bad_weight if the sizes together do not fit in
/// 64 bits.
inline constexpr detail::fit_fn<detail::fit::first> first_fit{};

/// Best fit: as first_fit, but each buffer gets the offset with the least free space above it.
inline constexpr detail::fit_fn<detail::fit::best> best_fit{};

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/allocate/first_fit.ipp>
#endif

#endif
