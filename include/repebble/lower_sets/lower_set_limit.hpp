#ifndef REPEBBLE_LOWER_SETS_LOWER_SET_LIMIT_HPP
#define REPEBBLE_LOWER_SETS_LOWER_SET_LIMIT_HPP

/// How many lower sets the searches over all of them hold, unless the caller says otherwise.

#include <cstddef>

namespace repebble::inline v0 {

/// A graph with more lower sets than this is searched over a family of them. About 2 GB at 1,000 vertices.
inline constexpr std::size_t default_lower_set_limit = 100'000;

}  // namespace repebble::inline v0

#endif
