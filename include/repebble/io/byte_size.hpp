#ifndef REPEBBLE_IO_BYTE_SIZE_HPP
#define REPEBBLE_IO_BYTE_SIZE_HPP

// Sizes as people write them: parsing and formatting with units of 1024 and of 1000, exactly. Examples and command
// lines use it.

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::io {

namespace detail {

struct byte_unit {
    std::string_view name;
    std::uint64_t size;
};

/// Units of 1024 and of 1000. A bare "K" or "G" is not accepted: it could mean either.
inline constexpr std::array byte_units{
    byte_unit{"", 1},
    byte_unit{"B", 1},
    byte_unit{"KiB", std::uint64_t{1} << 10},
    byte_unit{"MiB", std::uint64_t{1} << 20},
    byte_unit{"GiB", std::uint64_t{1} << 30},
    byte_unit{"TiB", std::uint64_t{1} << 40},
    byte_unit{"PiB", std::uint64_t{1} << 50},
    byte_unit{"EiB", std::uint64_t{1} << 60},
    byte_unit{"kB", 1'000},
    byte_unit{"KB", 1'000},
    byte_unit{"MB", 1'000'000},
    byte_unit{"GB", 1'000'000'000},
    byte_unit{"TB", 1'000'000'000'000},
    byte_unit{"PB", 1'000'000'000'000'000},
    byte_unit{"EB", 1'000'000'000'000'000'000},
};

[[noreturn]] inline void bad_byte_size(std::string_view text, char const* why) {
    repebble::detail::raise(bad_weight("size '" + std::string(text.substr(0, 60)) + "' " + why));
}

[[nodiscard]] constexpr auto leading_digits(std::string_view text) noexcept -> std::size_t {
    std::size_t count = 0;
    while (count < text.size() && text[count] >= '0' && text[count] <= '9') ++count;
    return count;
}

}  // namespace detail

/// Parses a number of bytes such as "4GiB", "1.5 GB", "16 KiB" or "2000".
/// KiB, MiB, GiB, TiB, PiB, EiB are powers of 1024; kB (or KB), MB, GB, TB, PB, EB powers of 1000; B or no unit: bytes.
/// Computed exactly, in integers; a fraction of a byte is dropped ("0.3KiB" is 307).
/// Throws bad_weight, quoting the text, where it is empty, negative, not a number, of an unknown unit, a fraction of
/// single bytes, or above 2^63 - 1 bytes.  O(characters).
[[nodiscard]] constexpr auto parse_bytes(std::string_view text) -> bytes {
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<bytes>::max());
    auto rest = text;
    if (rest.empty()) detail::bad_byte_size(text, "is empty");
    if (rest.front() == '-') detail::bad_byte_size(text, "is negative");
    auto const whole = rest.substr(0, detail::leading_digits(rest));
    if (whole.empty()) detail::bad_byte_size(text, "does not begin with a number");
    rest.remove_prefix(whole.size());
    std::string_view fraction;
    if (rest.starts_with('.')) {
        rest.remove_prefix(1);
        fraction = rest.substr(0, detail::leading_digits(rest));
        if (fraction.empty()) detail::bad_byte_size(text, "has no digits after the point");
        rest.remove_prefix(fraction.size());
    }
    while (rest.starts_with(' ')) rest.remove_prefix(1);

    std::uint64_t unit = 0;
    for (auto const& candidate : detail::byte_units)
        if (candidate.name == rest) unit = candidate.size;
    if (unit == 0)
        detail::bad_byte_size(text,
                              "has an unknown unit: known are B, KiB, MiB, GiB, TiB, PiB, EiB, kB, MB, GB, TB, PB, EB");
    if (unit == 1 && !fraction.empty()) detail::bad_byte_size(text, "is not a whole number of bytes");

    std::uint64_t count = 0;
    for (char const digit : whole) {
        auto const d = static_cast<std::uint64_t>(digit - '0');
        if (count > most / unit / 10 || count * 10 + d > most / unit)
            detail::bad_byte_size(text, "is above 2^63 - 1 bytes");
        count = count * 10 + d;
    }
    std::uint64_t part = 0;  // of one unit, in bytes: from the last digit to the first, rounded down exactly
    for (std::size_t i = fraction.size(); i-- > 0;)
        part = (static_cast<std::uint64_t>(fraction[i] - '0') * unit + part) / 10;
    if (part > most - count * unit) detail::bad_byte_size(text, "is above 2^63 - 1 bytes");
    return static_cast<bytes>(count * unit + part);
}

/// Formats a number of bytes, in units of 1024 always: "512 B", "2.79 GiB", "27.9 MiB", "279 KiB".
/// Rounded to three digits (four from 1000 to 1023); exact below 1 KiB.
[[nodiscard]] inline auto format_bytes(bytes size) -> std::string {
    constexpr std::array units{" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
    auto value = std::abs(static_cast<double>(size));
    std::size_t u = 0;
    for (; value >= 1023.5; ++u) value /= 1024;  // from there on it would be rounded to 1024
    int const decimals = u == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    std::array<char, 16> digits{};
    auto const end = std::to_chars(digits.begin(), digits.end(), value, std::chars_format::fixed, decimals).ptr;
    return (size < 0 ? "-" : "") + std::string(digits.begin(), end) + units[u];
}

}  // namespace repebble::inline v0::io

#endif
