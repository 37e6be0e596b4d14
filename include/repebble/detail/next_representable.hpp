#ifndef REPEBBLE_DETAIL_NEXT_REPRESENTABLE_HPP
#define REPEBBLE_DETAIL_NEXT_REPRESENTABLE_HPP

// Neighbours of a number in its own type (integers and floating-point alike), and a limit with a tolerance for
// rounding. Searches turn "less than" into "at most" with it, and step from one budget to the next.

#include <cmath>
#include <concepts>
#include <limits>

namespace repebble::inline v0::detail {

/// The next greater number of the type; the greatest stays itself.
template <class T>
[[nodiscard]] auto next_above(T x) -> T {
    constexpr auto greatest = std::numeric_limits<T>::max();
    if constexpr (std::floating_point<T>)
        return std::nextafter(x, greatest);
    else
        return x < greatest ? x + 1 : x;
}
/// The next smaller number of the type; the least stays itself.
template <class T>
[[nodiscard]] auto next_below(T x) -> T {
    constexpr auto least = std::numeric_limits<T>::lowest();
    if constexpr (std::floating_point<T>)
        return std::nextafter(x, least);
    else
        return x > least ? x - 1 : x;
}
/// Returns x with a tolerance for sums of floating-point numbers, none of them above `whole`, that were added in
/// another order; integers are returned unchanged.
template <class T>
[[nodiscard]] auto with_rounding(T x, T whole) -> T {
    if constexpr (std::floating_point<T>)
        return x + 1e-9 * whole;
    else
        return x;
}

}  // namespace repebble::inline v0::detail

#endif
