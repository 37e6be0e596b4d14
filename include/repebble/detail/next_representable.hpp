#ifndef REPEBBLE_DETAIL_NEXT_REPRESENTABLE_HPP
#define REPEBBLE_DETAIL_NEXT_REPRESENTABLE_HPP

#include <cmath>
#include <concepts>
#include <limits>

namespace repebble::inline v0::detail {

/// The next greater number of its type, or the greatest.
template <class T>
[[nodiscard]] auto next_above(T x) -> T {
    constexpr auto greatest = std::numeric_limits<T>::max();
    if constexpr (std::floating_point<T>)
        return std::nextafter(x, greatest);
    else
        return x < greatest ? x + 1 : x;
}
/// The next smaller number of its type, or the least.
template <class T>
[[nodiscard]] auto next_below(T x) -> T {
    constexpr auto least = std::numeric_limits<T>::lowest();
    if constexpr (std::floating_point<T>)
        return std::nextafter(x, least);
    else
        return x > least ? x - 1 : x;
}
/// A limit that lets pass what is the same sum as x, added up in another order; sums are at most `whole`.
template <class T>
[[nodiscard]] auto with_rounding(T x, T whole) -> T {
    if constexpr (std::floating_point<T>)
        return x + 1e-9 * whole;
    else
        return x;
}

}  // namespace repebble::inline v0::detail

#endif
