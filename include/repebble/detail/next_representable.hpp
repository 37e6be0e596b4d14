#ifndef REPEBBLE_DETAIL_NEXT_REPRESENTABLE_HPP
#define REPEBBLE_DETAIL_NEXT_REPRESENTABLE_HPP

// Neighbours of a whole number that stay in range. Searches turn "less than" into "at most" with them, and step from
// one budget to the next.

#include <cstdint>
#include <limits>

namespace repebble::inline v0::detail {

/// The next greater number; the greatest stays itself.
[[nodiscard]] constexpr auto next_above(std::int64_t x) -> std::int64_t {
    return x < std::numeric_limits<std::int64_t>::max() ? x + 1 : x;
}
/// The next smaller number; the least stays itself.
[[nodiscard]] constexpr auto next_below(std::int64_t x) -> std::int64_t {
    return x > std::numeric_limits<std::int64_t>::min() ? x - 1 : x;
}

}  // namespace repebble::inline v0::detail

#endif
