#ifndef REPEBBLE_LOWER_SETS_LOWER_SET_LIMIT_HPP
#define REPEBBLE_LOWER_SETS_LOWER_SET_LIMIT_HPP

// The default limit on the number of lower sets that the searches over all of them enumerate.

#include <algorithm>
#include <cstddef>

namespace repebble::inline v0 {

/// Graphs with more lower sets than this are searched over a family of them. About 2 GB at 1,000 vertices.
inline constexpr std::size_t default_lower_set_limit = 100'000;

namespace detail {

/// The default limit for graphs of n vertices: of large ones, as many lower sets as take half a gibibyte.
[[nodiscard]] constexpr auto default_lower_sets(std::size_t n) -> std::size_t {
    constexpr std::size_t most_bits = std::size_t{1} << 32U;
    return std::min(default_lower_set_limit, most_bits / std::max<std::size_t>(n, 1));
}

}  // namespace detail

}  // namespace repebble::inline v0

#endif
