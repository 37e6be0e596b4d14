#ifndef REPEBBLE_IMPL_EXECUTE_FILL_PATTERN_IPP
#define REPEBBLE_IMPL_EXECUTE_FILL_PATTERN_IPP

#include <repebble/execute/fill_pattern.hpp>

#include <cstring>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0 {

REPEBBLE_INLINE auto fill_pattern::word(std::uint64_t i) const noexcept -> std::uint64_t {
    std::uint64_t x = seed + (i + 1) * 0x9E3779B97F4A7C15U;
    x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
    return x ^ (x >> 31U);
}

REPEBBLE_INLINE void fill_pattern::fill(std::byte* at, bytes size) const {
    for (bytes i = 0; i < size; i += 8) {
        auto const w = word(static_cast<std::uint64_t>(i / 8));
        std::memcpy(at + i, &w, static_cast<std::size_t>(size - i < 8 ? size - i : 8));
    }
}

REPEBBLE_INLINE auto fill_pattern::highest_change(std::byte const* at, bytes size) const -> bytes {
    std::byte expected[8];
    for (bytes i = (size + 7) / 8 * 8; i > 0; i -= 8) {
        auto const w = word(static_cast<std::uint64_t>(i / 8 - 1));
        std::memcpy(expected, &w, 8);
        for (bytes k = i; k > i - 8; --k)
            if (k <= size && at[k - 1] != expected[(k - 1) % 8]) return k;
    }
    return 0;
}

}  // namespace repebble::inline v0

#endif
