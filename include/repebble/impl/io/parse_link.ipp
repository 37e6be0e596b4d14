#ifndef REPEBBLE_IMPL_IO_PARSE_LINK_IPP
#define REPEBBLE_IMPL_IO_PARSE_LINK_IPP

#include <repebble/io/parse_link.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include <repebble/detail/raise.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/io/byte_size.hpp>
#include <repebble/io/machine.hpp>

namespace repebble::inline v0::io {

namespace detail {

/// Bytes in nanoseconds, in lowest terms.
[[nodiscard]] inline auto link_of(bytes per_second) -> host_link {
    constexpr std::int64_t second = 1'000'000'000;
    auto const common = std::gcd(per_second, second);
    return {.size = per_second / common, .time = second / common};
}

/// Nanoseconds of a number with s, ms, us or ns behind it, rounded to the nearest.
[[nodiscard]] inline auto nanoseconds_of(std::string_view text) -> std::optional<std::int64_t> {
    auto const whole = text.substr(0, leading_digits(text));
    if (whole.empty()) return std::nullopt;
    text.remove_prefix(whole.size());
    std::string_view fraction;
    if (text.starts_with('.')) {
        text.remove_prefix(1);
        fraction = text.substr(0, leading_digits(text));
        if (fraction.empty()) return std::nullopt;
        text.remove_prefix(fraction.size());
    }
    std::int64_t unit = 0;
    for (auto const& [name, size] :
         {std::pair<std::string_view, std::int64_t>{"s", 1'000'000'000}, {"ms", 1'000'000}, {"us", 1'000}, {"ns", 1}})
        if (name == text) unit = size;
    if (unit == 0) return std::nullopt;
    std::int64_t const most = (std::int64_t{1} << 61) / unit;
    std::int64_t count = 0;
    for (char const digit : whole) {
        if (count > most / 10) return std::nullopt;
        count = count * 10 + (digit - '0');
    }
    std::int64_t halves = 0;  // of a nanosecond, of the fraction: from its last digit to its first, rounded down
    for (std::size_t i = fraction.size(); i-- > 0;) halves = ((fraction[i] - '0') * 2 * unit + halves) / 10;
    return count * unit + (halves + 1) / 2;
}

}  // namespace detail

REPEBBLE_INLINE auto parse_link(std::string const& text) -> host_link {
    auto const fail = [](std::string const& what) { repebble::detail::raise(bad_weight("link '" + what)); };
    auto const first = text.substr(0, text.find(','));
    bytes per_second = 0;
    if (auto const known = find_machine(first)) {
        per_second = known->link_bytes_per_second;
    } else {
        if (!first.ends_with("/s"))
            fail(first + "' is neither a bandwidth such as 12GB/s nor one of " + machine_names());
        per_second = parse_bytes(std::string_view(first).substr(0, first.size() - 2));
        if (per_second < 1) fail(first + "' moves no bytes");
    }
    auto via = detail::link_of(per_second);
    for (auto rest = std::string_view(text).substr(first.size()); !rest.empty();) {
        rest.remove_prefix(1);
        auto const word = rest.substr(0, rest.find(','));
        rest.remove_prefix(word.size());
        if (word == "half-duplex")
            via.half_duplex = true;
        else if (auto const latency = detail::nanoseconds_of(word))
            via.latency = *latency;
        else
            fail(text + "': '" + std::string(word) + "' is neither a latency such as 10us nor half-duplex");
    }
    return via;
}

}  // namespace repebble::inline v0::io

#endif
