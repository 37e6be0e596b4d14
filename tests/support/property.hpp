#ifndef REPEBBLE_TESTS_SUPPORT_PROPERTY_HPP
#define REPEBBLE_TESTS_SUPPORT_PROPERTY_HPP

#include <concepts>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

// Properties, tried by RapidCheck. They are of one type each, so that what RapidCheck makes of a property is compiled
// once for all tests, and the answer cannot be dropped.

namespace support {

namespace detail {
[[nodiscard]] auto holds(std::function<void()> const& property) -> bool;
[[nodiscard]] auto holds_for_seeds(std::function<void(std::uint64_t)> const& property) -> bool;
}  // namespace detail

/// Whether `property`, which draws its values itself and throws where it does not hold, as RC_ASSERT does, holds each
/// time; the values at fault are printed.
template <std::invocable Property>
    requires std::is_void_v<std::invoke_result_t<Property&>>
[[nodiscard]] auto holds(Property&& property) -> bool {
    return detail::holds(std::forward<Property>(property));
}

/// The same for a property of a seed.
template <std::invocable<std::uint64_t> Property>
    requires std::is_void_v<std::invoke_result_t<Property&, std::uint64_t>>
[[nodiscard]] auto holds_for_each_seed(Property&& property) -> bool {
    return detail::holds_for_seeds(std::forward<Property>(property));
}

}  // namespace support

#endif
