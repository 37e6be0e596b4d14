#ifndef REPEBBLE_GRAPH_NEXT_REPRESENTABLE_HPP
#define REPEBBLE_GRAPH_NEXT_REPRESENTABLE_HPP

#include <cmath>
#include <concepts>
#include <limits>

#include <repebble/graph/quantity.hpp>

namespace repebble::detail {

/// The next greater quantity, or the greatest.
template <quantity T>
[[nodiscard]] auto next_above(T x) -> T {
    constexpr auto greatest = std::numeric_limits<T>::max();
    if constexpr (std::same_as<T, double>)
        return std::nextafter(x, greatest);
    else
        return x < greatest ? x + 1 : x;
}
/// The next smaller quantity, or the least.
template <quantity T>
[[nodiscard]] auto next_below(T x) -> T {
    constexpr auto least = std::numeric_limits<T>::lowest();
    if constexpr (std::same_as<T, double>)
        return std::nextafter(x, least);
    else
        return x > least ? x - 1 : x;
}
/// A limit that lets pass what is the same sum as x, added up in another order; sums are at most `whole`.
template <quantity T>
[[nodiscard]] auto with_rounding(T x, T whole) -> T {
    if constexpr (std::same_as<T, double>)
        return x + 1e-9 * whole;
    else
        return x;
}

}  // namespace repebble::detail

#endif
