#ifndef REPEBBLE_EXECUTE_FILL_PATTERN_HPP
#define REPEBBLE_EXECUTE_FILL_PATTERN_HPP

// A pseudo-random fill of memory, by which the executor measures which bytes were written. Counter-based, so that host
// and device make the same bytes in parallel.

#include <cstddef>
#include <cstdint>

#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0 {

/// A pseudo-random pattern: byte i is byte i mod 8 of `word(i / 8)`.
struct fill_pattern {
    std::uint64_t seed = 0;  ///< other seeds give other patterns

    /// The finalizer of SplitMix64 (Steele, Lea, Flood 2014).
    [[nodiscard]] auto word(std::uint64_t i) const noexcept -> std::uint64_t;

    /// Fills memory of this process.  O(size).
    void fill(std::byte* at, bytes size) const;
    /// End of the last byte that differs from `fill`; 0 where none does.  O(size) at worst, from the end.
    [[nodiscard]] auto highest_change(std::byte const* at, bytes size) const -> bytes;
};

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/execute/fill_pattern.ipp>
#endif

#endif
