#ifndef REPEBBLE_LOWER_SETS_LOWER_SET_LIMIT_HPP
#define REPEBBLE_LOWER_SETS_LOWER_SET_LIMIT_HPP

// How many lower sets searches list: by default, and at most, where their bits would fill the memory.

#include <algorithm>
#include <cstddef>

namespace repebble::inline v0 {

/// Graphs with more lower sets than this are searched over a family of them.
inline constexpr std::size_t default_lower_set_limit = 100'000;

namespace detail {

/// Lists of lower sets, or of as many sets of vertices, that a search over all lower sets has at once: rows and columns
/// of the lattice, ancestors, readers …; one over the pruned family has a single one.
inline constexpr std::size_t lists_over_all = 16;

/// How many sets of n vertices a list may have in a search with so many lists: they take two gibibytes together.
[[nodiscard]] constexpr auto lower_sets_in_memory(std::size_t n, std::size_t lists = lists_over_all) -> std::size_t {
    constexpr std::size_t most_bits = std::size_t{1} << 34U;
    return most_bits / lists / std::max<std::size_t>(n, 1);
}

/// The default limit for graphs of n vertices.
[[nodiscard]] constexpr auto default_lower_sets(std::size_t n) -> std::size_t {
    return std::min(default_lower_set_limit, lower_sets_in_memory(n));
}

}  // namespace detail

}  // namespace repebble::inline v0

#endif
