#include "link.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>
#include <string_view>
#include <system_error>

#include <repebble/graph/error.hpp>
#include <repebble/io/byte_size.hpp>

namespace plan {

using namespace repebble;

namespace {

// Links: PCI Express with 16 lanes, by what copies from pinned memory reach, four fifths of 15.75, 31.5 and 63 GB/s;
// NVLink-C2C: NVIDIA Grace Hopper whitepaper, 900 GB/s in both directions together. Rooflines: NVIDIA's data sheets, of
// the 1080 Ti 11.34 TFLOP/s and 484 GB/s at 80 %; of A100 and H100 (SXM) TF32 products without sparsity.
constexpr std::array machines{machine{"pcie3", 0, 0, 12'000'000'000},
                              machine{"pcie4", 0, 0, 25'000'000'000},
                              machine{"pcie5", 0, 0, 50'000'000'000},
                              machine{"nvlink-c2c", 0, 0, 450'000'000'000},
                              machine{"1080ti", 9.072e12, 387.2e9, 12'000'000'000},
                              machine{"a100", 156e12, 2e12, 25'000'000'000},
                              machine{"h100", 494e12, 3.35e12, 50'000'000'000},
                              machine{"gh200", 494e12, 4e12, 450'000'000'000}};

/// Bytes in nanoseconds, in lowest terms.
auto link_of(bytes per_second) -> host_link {
    constexpr std::int64_t second = 1'000'000'000;
    auto const common = std::gcd(per_second, second);
    return {.size = per_second / common, .time = second / common};
}

/// Nanoseconds of a number with s, ms, us or ns behind it, rounded.
auto time_of(std::string_view text) -> std::optional<std::int64_t> {
    double number = 0;
    auto const* const last = text.data() + text.size();
    auto const [end, wrong] = std::from_chars(text.data(), last, number, std::chars_format::fixed);
    if (wrong != std::errc{}) return std::nullopt;
    constexpr std::array<std::pair<std::string_view, double>, 4> units{
        {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}}};
    auto const* const unit =
        std::ranges::find(units, std::string_view(end, last), &std::pair<std::string_view, double>::first);
    if (unit == units.end()) return std::nullopt;
    auto const time = std::round(number * unit->second);
    if (!(time >= 0 && time < 0x1p62)) return std::nullopt;
    return static_cast<std::int64_t>(time);
}

}  // namespace

auto machine_names() -> std::string {
    std::string all;
    for (auto const& m : machines) all += (all.empty() ? "" : ", ") + std::string(m.name);
    return all;
}

auto machine_named(std::string const& name) -> std::optional<machine> {
    auto const* const found = std::ranges::find(machines, name, [](machine const& m) { return std::string(m.name); });
    return found == machines.end() ? std::nullopt : std::optional(*found);
}

auto parse_link(std::string const& text) -> host_link {
    auto const first = text.substr(0, text.find(','));
    host_link via;
    if (auto const known = machine_named(first)) {
        via = link_of(known->link_bytes_per_second);
    } else {
        if (!first.ends_with("/s"))
            throw bad_weight("link '" + first + "' is neither a bandwidth such as 12GB/s nor one of " +
                             machine_names());
        auto const per_second = io::parse_bytes(first.substr(0, first.size() - 2));
        if (per_second < 1) throw bad_weight("link '" + first + "' moves no bytes");
        via = link_of(per_second);
    }
    for (auto rest = std::string_view(text).substr(first.size()); !rest.empty();) {
        rest.remove_prefix(1);
        auto const word = rest.substr(0, rest.find(','));
        rest.remove_prefix(word.size());
        if (word == "half-duplex")
            via.half_duplex = true;
        else if (auto const latency = time_of(word))
            via.latency = *latency;
        else
            throw bad_weight("link '" + text + "': '" + std::string(word) +
                             "' is neither a latency such as 10us nor half-duplex");
    }
    return via;
}

auto copy_ratio(host_link const& via, bytes size, std::int64_t time_once) -> double {
    if (time_once <= 0) return 0;
    return static_cast<double>(size) * static_cast<double>(via.time) / static_cast<double>(via.size) /
           static_cast<double>(time_once);
}

}  // namespace plan
