#ifndef REPEBBLE_ALLOCATE_DETAIL_SHAPES_COMPACT_SHAPES_HPP
#define REPEBBLE_ALLOCATE_DETAIL_SHAPES_COMPACT_SHAPES_HPP

// Coordinate compression of time for the offset planners, and the lower bound from live bytes, pins and alignments. All
// of `detail/search` and `occupied_bytes` work on these compact shapes.
// Invariant: two pieces overlap in time exactly if they share a section; shapes are numbered by their first section.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <repebble/allocate/buffer.hpp>
#include <repebble/allocate/detail/shapes/buffer_shapes.hpp>
#include <repebble/detail/sort_by.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

/// A rectangle in compressed time: sections [first, last) and bytes [lower, upper) of its shape.
struct compact_piece {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    bytes lower = 0;
    bytes upper = 0;
};

/// The offset problem with time compressed into sections, one for each maximal set of pieces that are live at once.
/// Shapes without bytes or time are left out.
struct compact_shapes {
    static constexpr bytes nowhere = -1;

    std::vector<compact_piece> pieces{};
    std::vector<std::uint32_t> first_piece{};  ///< of each shape, and an end: pieces in the order of time
    std::vector<bytes> size{};
    std::vector<bytes> alignment{};
    std::vector<bytes> pinned{};            ///< offset, or `nowhere`
    std::vector<std::uint64_t> lifetime{};  ///< live time in the caller's unit, gaps respected
    std::vector<std::uint32_t> origin{};    ///< index in buffer_shapes
    std::vector<bytes> load{};              ///< live bytes of each section
    bytes most_live = 0;
    bytes lower_bound = 0;  ///< on the height: live bytes, every size, and the ends of pinned shapes
    bool plain = true;      ///< every shape is one piece with all its bytes
    bool whole = true;      ///< every piece has all the bytes of its shape

    [[nodiscard]] auto count() const noexcept -> std::size_t { return size.size(); }
    [[nodiscard]] auto sections() const noexcept -> std::size_t { return load.size(); }
    [[nodiscard]] auto pieces_of(std::size_t shape) const noexcept -> std::span<compact_piece const> {
        return {pieces.data() + first_piece[shape], first_piece[shape + 1] - first_piece[shape]};
    }
    [[nodiscard]] auto begin_of(std::size_t shape) const noexcept { return pieces[first_piece[shape]].first; }
    [[nodiscard]] auto end_of(std::size_t shape) const noexcept {
        auto end = pieces[first_piece[shape]].last;
        if (!plain)
            for (auto const& p : pieces_of(shape)) end = std::max(end, p.last);
        return end;
    }
    /// Whether a shape has a piece in a section.
    [[nodiscard]] auto is_live(std::size_t shape, std::uint32_t section) const noexcept -> bool {
        for (auto const& p : pieces_of(shape))
            if (p.first <= section && section < p.last) return true;
        return false;
    }
};

/// The least multiple of `alignment` that is not below `offset`.
[[nodiscard]] constexpr auto aligned(bytes offset, bytes alignment) noexcept -> bytes {
    if (alignment == 1) return offset;
    auto const over = offset % alignment;
    return over == 0 ? offset : offset + (alignment - over);
}

/// Computes the sections of every piece and the live bytes of every section by one sweep over sorted events.
class section_sweep {
  public:
    explicit section_sweep(buffer_shapes const& shapes) {
        std::vector<event> events;
        std::uint32_t slot = 0;
        for (std::size_t s = 0; s < shapes.pieces.size(); ++s)
            for (auto const& p : shapes.pieces[s]) {
                auto const size = p.bytes.upper - p.bytes.lower;
                events.push_back({p.lifetime.lower, slot, size});
                events.push_back({p.lifetime.upper, slot++, -size});
            }
        sort_by(events, [](event const& a, event const& b) {  // ends first
            if (a.when != b.when) return a.when < b.when;
            return (a.change < 0) != (b.change < 0) ? a.change < 0 : a.slot < b.slot;
        });
        first.resize(slot);
        last.resize(slot);
        bytes live = 0;
        bool begun = false;
        for (auto const& e : events) {
            if (e.change > 0) {
                first[e.slot] = static_cast<std::uint32_t>(load.size());
                begun = true;
            } else if (begun) {
                load.push_back(live);
                begun = false;
            }
            if (e.change < 0) last[e.slot] = static_cast<std::uint32_t>(load.size());
            live = checked_add(live, e.change, "live bytes");
        }
    }

    std::vector<std::uint32_t> first{}, last{};  // per piece
    std::vector<bytes> load{};

  private:
    struct event {
        std::int64_t when;
        std::uint32_t slot;
        bytes change;
    };
};

/// The greatest number that divides the sizes, pieces, pins and alignments above 1: in a plan whose shapes are all
/// supported from below it divides every offset, and the height; 0 without shapes.
[[nodiscard]] inline auto granule_of(compact_shapes const& c) -> bytes {
    bytes granule = 0;
    for (std::size_t s = 0; s < c.count(); ++s) {
        granule = std::gcd(granule, c.size[s]);
        if (c.alignment[s] != 1) granule = std::gcd(granule, c.alignment[s]);
        if (c.pinned[s] != compact_shapes::nowhere) granule = std::gcd(granule, c.pinned[s]);
        for (auto const& p : c.pieces_of(s)) granule = std::gcd(granule, std::gcd(p.lower, p.upper));
    }
    return granule;
}

/// Raises the lower bound if all pieces begin at multiples of one number: in each section all pieces but the uppermost
/// take whole multiples of it.
inline void raise_bound_by_alignment(compact_shapes& c) {
    bytes unit = 0;
    for (auto const alignment : c.alignment) unit = std::gcd(unit, alignment);
    for (auto const& p : c.pieces) unit = std::gcd(unit, p.lower);
    if (unit <= 1) return;
    struct change {
        std::uint32_t when;
        bool begins;  // ends come first
        bytes padded;
        bytes padding;
    };
    std::vector<change> changes;
    for (auto const& p : c.pieces) {
        auto const size = p.upper - p.lower;
        auto const padded = aligned(size, unit);
        changes.push_back({p.first, true, padded, padded - size});
        changes.push_back({p.last, false, padded, padded - size});
    }
    sort_by(changes,
            [](change const& a, change const& b) { return a.when != b.when ? a.when < b.when : a.begins < b.begins; });
    std::multiset<bytes> paddings;  // of the live shapes
    bytes live = 0;
    for (auto const& [when, begins, padded, padding] : changes) {
        live += begins ? padded : -padded;
        if (begins)
            paddings.insert(padding);
        else
            paddings.erase(paddings.find(padding));
        if (!paddings.empty()) c.lower_bound = std::max(c.lower_bound, live - *paddings.rbegin());
    }
}

/// Compresses shapes.  O(p log p) for p pieces.  Throws bad_weight if the shapes, stacked on each other, do not fit in
/// 64 bits; so no offset of any plan overflows.
[[nodiscard]] inline auto compact(buffer_shapes const& shapes) -> compact_shapes {
    compact_shapes c;
    auto sweep = section_sweep(shapes);
    c.load = std::move(sweep.load);
    for (auto const live : c.load) c.most_live = std::max(c.most_live, live);
    c.lower_bound = c.most_live;

    bytes tallest = 0;
    bytes widest = 0;
    for (std::size_t s = 0; s < shapes.shapes.size(); ++s) {
        auto const& shape = shapes.shapes[s];
        c.lower_bound = std::max(c.lower_bound, checked_add(shape.pinned.value_or(0), shape.size));
        if (shapes.pieces[s].empty()) continue;
        c.origin.push_back(static_cast<std::uint32_t>(s));
        tallest = checked_add(tallest, checked_add(shape.size, shape.alignment));
        if (shape.pinned) tallest = checked_add(tallest, *shape.pinned + shape.size);
        widest = std::max(widest, shape.alignment);
    }
    static_cast<void>(checked_add(tallest, widest));  // room for one more alignment above every plan
    auto const begin = [&](std::uint32_t s) { return shapes.pieces[s].front().lifetime.lower; };
    sort_numbers(c.origin, [&](std::uint32_t a, std::uint32_t b) { return begin(a) < begin(b); });
    c.first_piece.push_back(0);
    for (auto const s : c.origin) {
        auto const& shape = shapes.shapes[s];
        std::uint64_t lifetime = 0;
        auto counted_to = shapes.pieces[s].front().lifetime.lower;
        for (std::size_t k = 0; k < shapes.pieces[s].size(); ++k) {
            auto const& p = shapes.pieces[s][k];
            auto const slot = shapes.pieces.start(s) + k;
            c.pieces.push_back({sweep.first[slot], sweep.last[slot], p.bytes.lower, p.bytes.upper});
            c.whole = c.whole && p.bytes == interval{0, shape.size};
            c.plain = c.plain && c.whole && k == 0;
            if (p.lifetime.upper <= counted_to) continue;  // beside another piece of its shape
            lifetime += static_cast<std::uint64_t>(p.lifetime.upper) -
                        static_cast<std::uint64_t>(std::max(p.lifetime.lower, counted_to));
            counted_to = p.lifetime.upper;
        }
        c.first_piece.push_back(static_cast<std::uint32_t>(c.pieces.size()));
        c.size.push_back(shape.size);
        c.alignment.push_back(shape.alignment);
        c.pinned.push_back(shape.pinned.value_or(compact_shapes::nowhere));
        c.lifetime.push_back(lifetime);
    }
    raise_bound_by_alignment(c);
    return c;
}

}  // namespace repebble::inline v0::detail

#endif
