#ifndef REPEBBLE_ALLOCATE_BUFFER_HPP
#define REPEBBLE_ALLOCATE_BUFFER_HPP

// The vocabulary of memory planning: half-open intervals, buffers with lifetimes, gaps, pins and aliases, and the
// pieces in which a buffer lies in memory as rectangles of time and bytes. Every header of this room takes spans of
// these buffers and rejects invalid ones by name.
// Invariant: the pieces of one buffer do not overlap, and they come in the order of time.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0 {

/// A half-open interval [lower, upper), of time in any unit or of bytes.
struct interval {
    std::int64_t lower = 0;  ///< the first point
    std::int64_t upper = 0;  ///< one past the last point

    [[nodiscard]] constexpr auto empty() const noexcept -> bool { return lower >= upper; }
    /// Whether this interval contains the other one.
    [[nodiscard]] constexpr auto contains(interval const& i) const noexcept -> bool {
        return lower <= i.lower && i.upper <= upper;
    }
    /// Whether the intervals overlap.
    [[nodiscard]] constexpr auto overlaps(interval const& i) const noexcept -> bool {
        return lower < i.upper && i.lower < upper;
    }
    friend constexpr auto operator==(interval const&, interval const&) -> bool = default;
};

/// A part of a buffer's lifetime in which other buffers may use its memory, except for the bytes of a window. A second
/// window in the same gap is that of an alias that lives in the gap alone: of 6,808 small tables made to have two, 235
/// have less traffic in pools so than with one window around both; no network makes any.
struct buffer_gap {
    interval lifetime{};  ///< the times at which others may use it
    std::optional<interval>
        window{};  ///< bytes, counted from the buffer's begin, that it keeps; nullopt: it keeps none
    friend constexpr auto operator==(buffer_gap const&, buffer_gap const&) -> bool = default;
};

/// A part of a buffer that lies in memory as one rectangle of time and bytes. Bytes count from the buffer's begin.
struct buffer_piece {
    interval lifetime{};  ///< the times at which it is needed
    interval bytes{};     ///< the bytes that it takes
    friend constexpr auto operator==(buffer_piece const&, buffer_piece const&) -> bool = default;
};

/// A block of memory that is needed during a lifetime and that gets an offset.
struct buffer {
    interval lifetime{};  ///< the times at which it is needed
    bytes size = 0;
    bytes alignment = 1;                    ///< the offset must be a multiple of this
    std::optional<bytes> pinned{};          ///< the offset it must have, in bytes
    std::vector<buffer_gap> gaps{};         ///< disjoint, in the order of time
    std::optional<std::size_t> alias_of{};  ///< a buffer, no alias itself, whose offset and bytes it shares

    /// Calls f with every non-empty piece, in the order of time.  O(gaps).
    template <class F>
    constexpr void for_each_piece(F&& f) const {
        auto const emit = [&](interval const& during, interval const& part) {
            if (!during.empty() && !part.empty()) f(buffer_piece{during, part});
        };
        interval const whole{0, size};
        auto begin = lifetime.lower;
        for (auto const& gap : gaps) {
            emit({begin, gap.lifetime.lower}, whole);
            if (gap.window) emit(gap.lifetime, *gap.window);
            begin = gap.lifetime.upper;
        }
        emit({begin, lifetime.upper}, whole);
    }
    friend auto operator==(buffer const&, buffer const&) -> bool = default;
};

/// Thrown for invalid buffers. The message names the buffer.
struct bad_buffer : error {
    using error::error;
};

namespace detail {

/// Describes the first fault of a buffer; empty if it has none.
[[nodiscard]] auto fault_of(buffer const& b) -> std::string;

/// Throws bad_buffer for the first invalid buffer: a negative size or offset, a lifetime that ends before it begins, an
/// alignment below 1 or one that a pinned offset breaks, a gap outside the lifetime, or an alias of a buffer that does
/// not exist, that is an alias itself or that is pinned elsewhere.  O(buffers and gaps).
void require_valid_buffers(std::span<buffer const> buffers);

}  // namespace detail

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/allocate/buffer.ipp>
#endif

#endif
