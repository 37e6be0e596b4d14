#ifndef REPEBBLE_EXECUTE_FILL_PATTERN_HPP
#define REPEBBLE_EXECUTE_FILL_PATTERN_HPP

// A pseudo-random fill of memory, by which the executor measures which bytes were written. Counter-based, so that host
// and device make the same bytes in parallel.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0 {

/// A pseudo-random pattern: byte i is byte i mod 8 of `word(i / 8)`.
struct fill_pattern {
    std::uint64_t seed = 0;  ///< other seeds give other patterns

    /// The finalizer of SplitMix64 (Steele, Lea, Flood 2014).
    [[nodiscard]] constexpr auto word(std::uint64_t i) const noexcept -> std::uint64_t {
        std::uint64_t x = seed + (i + 1) * 0x9E3779B97F4A7C15U;
        x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
        x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
        return x ^ (x >> 31U);
    }

    /// Fills memory of this process.  O(size).
    void fill(std::byte* at, bytes size) const {
        for (bytes i = 0; i < size; i += 8) {
            auto const w = word(static_cast<std::uint64_t>(i / 8));
            std::memcpy(at + i, &w, static_cast<std::size_t>(size - i < 8 ? size - i : 8));
        }
    }
    /// End of the last byte that differs from `fill`; 0 where none does.  O(size) at worst, from the end.
    [[nodiscard]] auto highest_change(std::byte const* at, bytes size) const -> bytes {
        std::byte expected[8];
        for (bytes i = (size + 7) / 8 * 8; i > 0; i -= 8) {
            auto const w = word(static_cast<std::uint64_t>(i / 8 - 1));
            std::memcpy(expected, &w, 8);
            for (bytes k = i; k > i - 8; --k)
                if (k <= size && at[k - 1] != expected[(k - 1) % 8]) return k;
        }
        return 0;
    }
};

}  // namespace repebble::inline v0

#endif
