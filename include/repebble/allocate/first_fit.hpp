#ifndef REPEBBLE_ALLOCATE_FIRST_FIT_HPP
#define REPEBBLE_ALLOCATE_FIRST_FIT_HPP

// Greedy placement of buffers, first fit and best fit, in a given priority order. The occupied bytes are kept in a
// segment tree of byte intervals (`occupied_bytes`). Both are the starting planners of `assign_offsets`.
// Invariant: pinned shapes are placed first, and no placed shape moves.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <repebble/allocate/buffer.hpp>
#include <repebble/allocate/detail/shapes/buffer_shapes.hpp>
#include <repebble/allocate/detail/shapes/compact_shapes.hpp>
#include <repebble/allocate/detail/shapes/occupied_bytes.hpp>
#include <repebble/allocate/placement_order.hpp>
#include <repebble/allocate/verify_offsets.hpp>
#include <repebble/detail/raise.hpp>

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
[[nodiscard]] inline auto place_in_order(compact_shapes const& c, occupied_bytes& occupied,
                                         std::span<std::uint32_t const> order, fit rule,
                                         bytes enough = std::numeric_limits<bytes>::max()) -> shape_offsets {
    shape_offsets found{std::vector<bytes>(c.count()), 0};
    occupied.clear();
    // If all offsets are multiples of one number, the bytes up to the next multiple are useless: occupied too, they
    // join the intervals above and below. With gaps a window can begin anywhere.
    bytes unit = 0;
    for (auto const alignment : c.alignment) unit = std::gcd(unit, alignment);
    auto const place = [&](std::size_t s, bytes offset) {
        found.offsets[s] = offset;
        found.height = std::max(found.height, offset + c.size[s]);
        if (c.plain && unit > 1) {
            auto padded = c.pieces_of(s).front();
            padded.upper = aligned(padded.upper, unit);
            occupied.take({&padded, 1}, offset);
        } else {
            occupied.take(c.pieces_of(s), offset);
        }
    };
    for (std::size_t s = 0; s < c.count(); ++s)
        if (c.pinned[s] != compact_shapes::nowhere) place(s, c.pinned[s]);
    for (auto const s : order) {
        if (found.height >= enough) break;
        if (c.pinned[s] != compact_shapes::nowhere) continue;
        auto const pieces = c.pieces_of(s);
        place(s, rule == fit::first ? occupied.first_fit(pieces, c.alignment[s])
                                    : occupied.best_fit(pieces, c.alignment[s]));
    }
    return found;
}

/// Throws bad_buffer, naming both, if two pinned buffers overlap.
inline void require_pins_apart(std::span<buffer const> buffers) {
    std::vector<buffer> pinned;
    std::vector<std::size_t> numbers, at(buffers.size());
    std::vector<bytes> offsets;
    for (bool const aliases : {false, true})
        for (std::size_t i = 0; i < buffers.size(); ++i) {
            auto const root = buffers[i].alias_of;
            if (root.has_value() != aliases || !buffers[root.value_or(i)].pinned) continue;
            at[i] = pinned.size();
            pinned.push_back(buffers[i]);
            if (root) pinned.back().alias_of = at[*root];
            numbers.push_back(i);
            offsets.push_back(*buffers[root.value_or(i)].pinned);
        }
    if (pinned.empty()) return;
    if (auto const fault = verify_offsets(pinned, offsets).fault; fault && fault->second)
        detail::raise(bad_buffer("buffers " + std::to_string(numbers[fault->first]) + " and " +
                                 std::to_string(numbers[*fault->second]) + " overlap where they are pinned"));
}

/// Translates offsets of compact shapes into offsets of the caller's buffers. A buffer without bytes or time gets its
/// pin, or 0.
[[nodiscard]] inline auto offsets_of_buffers(std::span<buffer const> buffers, buffer_shapes const& shapes,
                                             compact_shapes const& c, std::span<bytes const> offsets)
    -> std::vector<bytes> {
    std::vector<bytes> by_shape(shapes.shapes.size());
    for (std::size_t s = 0; s < by_shape.size(); ++s) by_shape[s] = shapes.shapes[s].pinned.value_or(0);
    for (std::size_t s = 0; s < c.count(); ++s) by_shape[c.origin[s]] = offsets[s];
    std::vector<bytes> by_buffer(buffers.size());
    for (std::size_t i = 0; i < buffers.size(); ++i) by_buffer[i] = by_shape[shapes.shape_of[i]];
    return by_buffer;
}

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

#endif
