#ifndef REPEBBLE_LOWER_SETS_LOWER_SET_LIMIT_HPP
#define REPEBBLE_LOWER_SETS_LOWER_SET_LIMIT_HPP

// The default limit on the number of lower sets that the searches over all of them enumerate.

#include <cstddef>

namespace repebble::inline v0 {

/// Graphs with more lower sets than this are searched over a family of them. About 2 GB at 1,000 vertices.
inline constexpr std::size_t default_lower_set_limit = 100'000;

}  // namespace repebble::inline v0

#endif
