#ifndef REPEBBLE_DETAIL_PLACES_IN_HPP
#define REPEBBLE_DETAIL_PLACES_IN_HPP

// Places in an order: the inverse of a permutation.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace repebble::inline v0::detail {

/// Returns for each item of 0 … count - 1 its place in the order; 0 where it does not occur.  O(n).
[[nodiscard]] inline auto places_in(std::span<std::uint32_t const> order, std::size_t count)
    -> std::vector<std::size_t> {
    std::vector<std::size_t> places(count, 0);
    for (std::size_t k = 0; k < order.size(); ++k) places[order[k]] = k;
    return places;
}

}  // namespace repebble::inline v0::detail

#endif
