#ifndef REPEBBLE_ALLOCATE_BUFFER_HPP
#define REPEBBLE_ALLOCATE_BUFFER_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0 {

/// Half open: [lower, upper). Of time, in any unit, or of bytes.
struct interval {
    std::int64_t lower = 0;
    std::int64_t upper = 0;

    [[nodiscard]] constexpr auto empty() const noexcept -> bool { return lower >= upper; }
    [[nodiscard]] constexpr auto contains(interval const& i) const noexcept -> bool {
        return lower <= i.lower && i.upper <= upper;
    }
    [[nodiscard]] constexpr auto overlaps(interval const& i) const noexcept -> bool {
        return lower < i.upper && i.lower < upper;
    }
    friend constexpr auto operator==(interval const&, interval const&) -> bool = default;
};

/// A part of a buffer's lifetime in which others may have its memory, but for the bytes of a window.
struct buffer_gap {
    interval lifetime{};
    std::optional<interval> window{};  ///< counted from the buffer's begin; nothing: none of its bytes are needed
    friend constexpr auto operator==(buffer_gap const&, buffer_gap const&) -> bool = default;
};

/// A block of memory that is needed for a time, and that an offset is sought for.
struct buffer {
    interval lifetime{};
    bytes size = 0;
    bytes alignment = 1;                    ///< the offset must be a multiple of it
    std::optional<bytes> pinned{};          ///< the offset that it must have
    std::vector<buffer_gap> gaps{};         ///< in the order of time
    std::optional<std::size_t> alias_of{};  ///< the buffer, no alias itself, whose offset it has and bytes it shares
    friend auto operator==(buffer const&, buffer const&) -> bool = default;
};

/// A buffer, or buffers, that cannot be. The message names the buffer.
struct bad_buffer : error {
    using error::error;
};

/// A part of a buffer that lies in memory as one rectangle of time and bytes. Bytes count from the buffer's begin.
struct buffer_piece {
    interval lifetime{};
    interval bytes{};
    friend constexpr auto operator==(buffer_piece const&, buffer_piece const&) -> bool = default;
};

/// Calls f with every piece of a buffer that is not empty, in the order of time.  O(gaps).
template <class F>
constexpr void for_each_piece(buffer const& b, F&& f) {
    auto const give = [&](interval const& lifetime, interval const& part) {
        if (!lifetime.empty() && !part.empty()) f(buffer_piece{lifetime, part});
    };
    interval const whole{0, b.size};
    auto begin = b.lifetime.lower;
    for (auto const& gap : b.gaps) {
        give({begin, gap.lifetime.lower}, whole);
        if (gap.window) give(gap.lifetime, *gap.window);
        begin = gap.lifetime.upper;
    }
    give({begin, b.lifetime.upper}, whole);
}

namespace detail {

/// What is wrong with a buffer; empty where nothing is.
[[nodiscard]] inline auto fault_of(buffer const& b) -> std::string {
    auto const shown = [](interval const& i) {
        return "[" + std::to_string(i.lower) + ", " + std::to_string(i.upper) + ")";
    };
    if (b.size < 0) return "its size is negative: " + std::to_string(b.size);
    if (b.lifetime.lower > b.lifetime.upper) return "its lifetime ends before it begins: " + shown(b.lifetime);
    if (b.alignment < 1) return "its alignment is not positive: " + std::to_string(b.alignment);
    if (b.pinned && (*b.pinned < 0 || *b.pinned % b.alignment != 0))
        return "its offset " + std::to_string(*b.pinned) + " is negative or no multiple of its alignment " +
               std::to_string(b.alignment);
    bytes end = 0;
    if (b.pinned && __builtin_add_overflow(*b.pinned, b.size, &end))
        return "its offset and size together do not fit in 64 bits";
    auto free_from = b.lifetime.lower;
    for (auto const& gap : b.gaps) {
        if (gap.lifetime.empty() || gap.lifetime.lower < free_from || gap.lifetime.upper > b.lifetime.upper)
            return "its gap " + shown(gap.lifetime) + " is empty, not in its lifetime " + shown(b.lifetime) +
                   ", or begins before the one before it ends";
        if (gap.window && (gap.window->lower > gap.window->upper || !interval{0, b.size}.contains(*gap.window)))
            return "the window " + shown(*gap.window) + " of a gap is not in its " + std::to_string(b.size) + " bytes";
        free_from = gap.lifetime.upper;
    }
    return {};
}

/// What is wrong with an alias; empty where nothing is.
[[nodiscard]] inline auto alias_fault_of(buffer const& b, std::span<buffer const> buffers) -> std::string {
    auto const other = std::to_string(*b.alias_of);
    if (*b.alias_of >= buffers.size()) return "it is an alias of buffer " + other + ", which there is not";
    auto const& root = buffers[*b.alias_of];
    if (root.alias_of) return "it is an alias of buffer " + other + ", which is an alias itself";
    if (b.pinned && b.pinned != root.pinned) return "it is an alias of buffer " + other + ", which is not pinned there";
    return {};
}

}  // namespace detail

/// Throws bad_buffer, naming the first that cannot be: a negative size or offset, a lifetime that ends before it
/// begins, an alignment below 1 or that a pinned offset breaks, a gap outside the lifetime, an alias of no buffer, of
/// an alias or of one pinned elsewhere.  O(buffers and gaps).
inline void require_valid_buffers(std::span<buffer const> buffers) {
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        auto const& b = buffers[i];
        auto fault = detail::fault_of(b);
        if (fault.empty() && b.alias_of) fault = detail::alias_fault_of(b, buffers);
        if (!fault.empty()) detail::raise(bad_buffer("buffer " + std::to_string(i) + ": " + fault));
    }
}

}  // namespace repebble::inline v0

#endif
