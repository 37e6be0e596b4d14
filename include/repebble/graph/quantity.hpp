#ifndef REPEBBLE_GRAPH_QUANTITY_HPP
#define REPEBBLE_GRAPH_QUANTITY_HPP

// Numbers of bytes and of time units, with checked arithmetic: every sum and product of the caller's numbers is checked
// for overflow here.

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <repebble/graph/error.hpp>

namespace repebble::inline v0 {

/// A number of bytes. Signed, so that a negative input is seen and not wrapped.
using bytes = std::int64_t;

namespace detail {

/// a + b; nothing where the sum does not fit in 64 bits.
[[nodiscard]] constexpr auto sum_of(std::int64_t a, std::int64_t b) -> std::optional<std::int64_t> {
    std::int64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? std::nullopt : std::optional(sum);
}

[[nodiscard]] inline auto overflow_message(std::int64_t a, std::int64_t b, char const* what) -> std::string {
    return std::string("sum of ") + what + " overflows 64 bits: " + std::to_string(a) + " + " + std::to_string(b);
}

/// The fault that makes a number no quantity; null where there is none.
template <class Raw>
    requires std::is_arithmetic_v<Raw>
[[nodiscard]] constexpr auto fault_of_quantity(Raw raw) -> char const* {
    if constexpr (std::is_floating_point_v<Raw>) {
        if (!(raw >= 0)) return "negative or not a number";
        if (static_cast<long double>(raw) > static_cast<long double>(1e300)) return "not finite";
    } else {
        auto const whole = +raw;  // bool and character types promoted
        if (std::cmp_less(whole, 0)) return "negative";
        if (!std::in_range<std::int64_t>(whole)) return "above 2^63 - 1";
    }
    return nullptr;
}

/// The fault that makes a number no number of bytes; null where there is none.
template <class Raw>
    requires std::is_arithmetic_v<Raw>
[[nodiscard]] constexpr auto fault_of_bytes(Raw raw) -> char const* {
    if (auto const* fault = fault_of_quantity(raw)) return fault;
    if constexpr (std::is_floating_point_v<Raw>) {
        auto const q = static_cast<double>(raw);
        if (q >= 0x1p63 || static_cast<double>(static_cast<bytes>(q)) < q) return "not a whole number of bytes";
    }
    return nullptr;
}

}  // namespace detail

/// a + b.  Throws bad_weight, naming `what`, where the sum does not fit in 64 bits.
[[nodiscard]] constexpr auto checked_add(std::int64_t a, std::int64_t b, char const* what = "bytes") -> std::int64_t {
    std::int64_t sum = 0;
    if (__builtin_add_overflow(a, b, &sum)) detail::raise(bad_weight(detail::overflow_message(a, b, what)));
    return sum;
}

/// The same, where what() is the name, asked for in that case only.
template <std::invocable What>
[[nodiscard]] constexpr auto checked_add(std::int64_t a, std::int64_t b, What const& what) -> std::int64_t {
    std::int64_t sum = 0;
    if (__builtin_add_overflow(a, b, &sum))
        detail::raise(bad_weight(detail::overflow_message(a, b, std::string(what()).c_str())));
    return sum;
}

/// factor * a.  Throws bad_weight, naming `what`, where the product does not fit in 64 bits.
[[nodiscard]] constexpr auto checked_multiply(std::int64_t a, std::int64_t factor, char const* what = "bytes")
    -> std::int64_t {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(a, factor, &product)) {
        detail::raise(bad_weight(std::string("multiple of ") + what + " overflows 64 bits: " + std::to_string(factor) +
                                 " * " + std::to_string(a)));
    }
    return product;
}

namespace detail {

/// Throws bad_weight where a weight is negative, not a number or too large; `name()` returns the weight's name for the
/// message and is called only then.
template <class Raw, class Name>
    requires std::is_arithmetic_v<Raw>
constexpr void check_weight(Raw raw, Name&& name) {
    if (auto const* fault = detail::fault_of_quantity(raw))
        detail::raise(
            bad_weight(std::string(std::forward<Name>(name)()) + " is " + fault + ": " + std::to_string(raw)));
}

/// The caller's weight as a number of bytes.  Throws bad_weight as `check_weight`, and where it is not whole.
template <class Raw, class Name>
    requires std::is_arithmetic_v<Raw>
[[nodiscard]] constexpr auto to_bytes(Raw raw, Name&& name) -> bytes {
    if (auto const* fault = detail::fault_of_bytes(raw))
        detail::raise(
            bad_weight(std::string(std::forward<Name>(name)()) + " is " + fault + ": " + std::to_string(raw)));
    return static_cast<bytes>(raw);
}

}  // namespace detail

}  // namespace repebble::inline v0

#endif
