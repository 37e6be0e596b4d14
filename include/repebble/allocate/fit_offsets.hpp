#ifndef REPEBBLE_ALLOCATE_FIT_OFFSETS_HPP
#define REPEBBLE_ALLOCATE_FIT_OFFSETS_HPP

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
#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/never_stop.hpp>

namespace repebble::inline v0 {

/// The free position that a buffer gets.
enum class fit_rule : std::uint8_t {
    first,  ///< the lowest
    best,   ///< the one with the least free space above it
};

namespace detail {

/// An offset for each shape, and the height of the plan.
struct shape_offsets {
    std::vector<bytes> offsets{};
    bytes height = 0;
};

/// Places the shapes one after the other, pinned ones first. Stops with an incomplete plan as soon as its height
/// reaches `enough`. From when stop() returns true on, the others are placed above all these by `place_in_turn`.
[[nodiscard]] auto place_in_order(compact_shapes const& c, occupied_bytes& occupied,
                                  std::span<std::uint32_t const> order, fit_rule rule,
                                  bytes enough = std::numeric_limits<bytes>::max(), stop_test stop = never_stop{})
    -> shape_offsets;

/// Places more shapes above the height of a plan, as an allocator does: in the order of time, each in the smallest free
/// interval that is large enough, which is free again from its end on.  O(n log n).
void place_in_turn(compact_shapes const& c, std::span<std::uint32_t const> shapes, shape_offsets& plan);

/// Throws bad_buffer, naming both, if two pinned buffers overlap, of those of which is_in(buffer) is true.
void require_pins_apart(std::span<buffer const> buffers, function_ref<bool(std::size_t)> is_in);

/// Translates offsets of compact shapes into offsets of the caller's buffers. A buffer without bytes or time gets its
/// pin, or 0.
[[nodiscard]] auto offsets_of_buffers(std::span<buffer const> buffers, buffer_shapes const& shapes,
                                      compact_shapes const& c, std::span<bytes const> offsets) -> std::vector<bytes>;

}  // namespace detail

/// Options of `fit_offsets`.
struct fit_options {
    fit_rule rule = fit_rule::first;        ///< which free place a buffer takes
    placement_order order = largest_first;  ///< in which buffers are placed; `earliest_first` is an online allocator
    friend constexpr auto operator==(fit_options const&, fit_options const&) -> bool = default;
};

/// First fit or best fit: in the given order each buffer gets the lowest offset at which it is disjoint from all placed
/// before it, or the one with the least free space above it. No approximation guarantee.
/// n searches that skip from one occupied interval to the next: as a rule 0.2 s for 10⁵ buffers, 4 s for 10⁶. Where
/// each skips most of them O(n² log n): of the buffers of a tree, longest first, 10⁵ take about 10 s.
/// Throws bad_buffer if a buffer is invalid or two pinned ones overlap, bad_weight if the sizes together do not fit in
/// 64 bits.
[[nodiscard]] auto fit_offsets(std::span<buffer const> buffers, fit_options const& options = {}) -> std::vector<bytes>;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/allocate/fit_offsets.ipp>
#endif

#endif
