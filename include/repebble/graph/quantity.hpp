#ifndef REPEBBLE_GRAPH_QUANTITY_HPP
#define REPEBBLE_GRAPH_QUANTITY_HPP

// Numbers of bytes and of time units, with checked arithmetic: every sum and product of the caller's numbers is checked
// for overflow here.

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include <repebble/graph/error.hpp>

namespace repebble::inline v0 {

/// A number of bytes. Signed, so that a negative input is seen and not wrapped.
using bytes = std::int64_t;

/// The type of times inside the library: int64 for whole time units (exact), double otherwise.
template <class T>
concept quantity = std::same_as<T, std::int64_t> || std::same_as<T, double>;

/// The quantity type for a weight of the caller's arithmetic type `Raw`.
template <class Raw>
using quantity_for = std::conditional_t<std::is_floating_point_v<Raw>, double, std::int64_t>;

/// a + b.  Throws bad_weight, naming `what`, where the sum does not fit in 64 bits.
template <quantity T>
[[nodiscard]] constexpr auto checked_add(T a, T b, char const* what = "bytes") -> T {
    if constexpr (std::same_as<T, double>) {
        return a + b;
    } else {
        T sum = 0;
        if (__builtin_add_overflow(a, b, &sum)) {
            detail::raise(bad_weight(std::string("sum of ") + what + " overflows 64 bits: " + std::to_string(a) +
                                     " + " + std::to_string(b)));
        }
        return sum;
    }
}

/// factor * a.  Throws bad_weight, naming `what`, where the product does not fit in 64 bits.
template <quantity T>
[[nodiscard]] constexpr auto checked_multiply(T a, T factor, char const* what = "bytes") -> T {
    if constexpr (std::same_as<T, double>) {
        return a * factor;
    } else {
        T product = 0;
        if (__builtin_mul_overflow(a, factor, &product)) {
            detail::raise(bad_weight(std::string("multiple of ") + what +
                                     " overflows 64 bits: " + std::to_string(factor) + " * " + std::to_string(a)));
        }
        return product;
    }
}

/// The caller's weight as a quantity.  Throws bad_weight where it is negative, not a number or too large; `name()`
/// returns the weight's name for the message and is called only then.
template <class Raw, class Name>
    requires std::is_arithmetic_v<Raw>
[[nodiscard]] constexpr auto to_quantity(Raw raw, Name&& name) -> quantity_for<Raw> {
    auto const fail = [&](char const* why) {
        detail::raise(bad_weight(std::string(std::forward<Name>(name)()) + " is " + why + ": " + std::to_string(raw)));
    };
    if constexpr (std::is_floating_point_v<Raw>) {
        if (!(raw >= 0)) fail("negative or not a number");
        if (static_cast<long double>(raw) > static_cast<long double>(1e300)) fail("not finite");
    } else {
        auto const whole = +raw;  // bool and character types promoted
        if (std::cmp_less(whole, 0)) fail("negative");
        if (!std::in_range<std::int64_t>(whole)) fail("above 2^63 - 1");
    }
    return static_cast<quantity_for<Raw>>(raw);
}

/// The caller's weight as a number of bytes.  Throws bad_weight as `to_quantity`, and where it is not whole.
template <class Raw, class Name>
    requires std::is_arithmetic_v<Raw>
[[nodiscard]] constexpr auto to_bytes(Raw raw, Name&& name) -> bytes {
    auto const q = to_quantity(raw, name);
    if constexpr (std::is_floating_point_v<Raw>) {
        if (q >= 0x1p63 || static_cast<double>(static_cast<bytes>(q)) < q)
            detail::raise(bad_weight(std::string(name()) + " is not a whole number of bytes: " + std::to_string(raw)));
    }
    return static_cast<bytes>(q);
}

}  // namespace repebble::inline v0

#endif
