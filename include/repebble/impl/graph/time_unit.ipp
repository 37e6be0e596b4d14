#ifndef REPEBBLE_IMPL_GRAPH_TIME_UNIT_IPP
#define REPEBBLE_IMPL_GRAPH_TIME_UNIT_IPP

#include <repebble/graph/time_unit.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>

#include <repebble/detail/raise.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/error.hpp>

namespace repebble::inline v0 {

REPEBBLE_INLINE auto time_unit::whole_above(double time) const -> std::int64_t {
    auto const units = std::ceil(time * per / size);
    if (!(units < 0x1p62))
        detail::raise(bad_weight("a time of " + std::to_string(time) +
                                 " is too long for the times of this graph: 2^62 of the least unit or more"));
    return static_cast<std::int64_t>(units);
}

}  // namespace repebble::inline v0

namespace repebble::inline v0::detail {

/// A decimal number: `digits` · 10^`exponent`.
struct decimal {
    std::int64_t digits = 0;
    int exponent = 0;
};

/// The shortest decimal number that reads back as x.  Requires: x is finite and not negative.
[[nodiscard]] inline auto shortest_decimal(double x) -> decimal {
    if (!(x > 0)) return {};  // -0 has a sign
    char text[64];
    auto const end = std::to_chars(text, text + sizeof text, x, std::chars_format::scientific).ptr;
    std::string_view const all(text, static_cast<std::size_t>(end - text));
    auto const e = all.find('e');
    decimal out;
    auto const exponent = all.substr(e + (all[e + 1] == '+' ? 2 : 1));
    std::from_chars(exponent.data(), exponent.data() + exponent.size(), out.exponent);
    for (auto const c : all.substr(0, e))
        if (c != '.') out.digits = out.digits * 10 + (c - '0');
    if (e > 1) out.exponent -= static_cast<int>(e) - 2;  // the digits behind the point
    while (out.digits % 10 == 0) {
        out.digits /= 10;
        ++out.exponent;
    }
    return out;
}

}  // namespace repebble::inline v0::detail

namespace repebble::inline v0 {

namespace detail {

REPEBBLE_INLINE auto as_written(float x) -> double {
    char text[64];
    auto const end = std::to_chars(text, text + sizeof text, x).ptr;
    double out = 0;
    std::from_chars(text, end, out);
    return out;
}

REPEBBLE_INLINE auto to_whole_times(std::span<double const> given) -> whole_times {
    constexpr int most_digits = 12;
    constexpr double most_exact = 0x1p53;
    int places = 0;
    std::vector<detail::decimal> decimals;
    decimals.reserve(given.size());
    for (auto const t : given) {
        decimals.push_back(detail::shortest_decimal(t));
        places = std::max(places, -decimals.back().exponent);
    }
    whole_times out;
    out.times.reserve(given.size());
    if (places <= most_digits) {
        out.unit.per = std::pow(10.0, places);
        double sum = 0;
        for (auto const& d : decimals) {
            auto const whole = static_cast<double>(d.digits) * std::pow(10.0, d.exponent + places);
            sum += whole;
            if (!(sum <= most_exact)) break;
            out.times.push_back(static_cast<std::int64_t>(std::round(whole)));
        }
        if (sum <= most_exact) return out;
        out.times.clear();
    }
    constexpr int bits = 40;
    double sum = 0;
    for (auto const t : given) sum += t / 0x1p20;  // which cannot overflow: a time is at most 1e300
    double const total = sum * 0x1p20;
    out.unit = {.exact = false};
    if (total > 0) out.unit.size = std::max(std::exp2(std::ceil(std::log2(total)) - bits), 0x1p-1022);
    for (auto const t : given) out.times.push_back(static_cast<std::int64_t>(t / out.unit.size));
    return out;
}

}  // namespace detail

}  // namespace repebble::inline v0

#endif
