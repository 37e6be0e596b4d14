#ifndef REPEBBLE_PEBBLING_HOST_LINK_HPP
#define REPEBBLE_PEBBLING_HOST_LINK_HPP

// The link between the device pool and the host pool: how long a copy takes. Used by the lanes clock and by the
// planner that swaps.

#include <algorithm>
#include <concepts>
#include <limits>

#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0 {

namespace detail {
/// s · time / size, rounded up, in 128 bits.
[[nodiscard]] constexpr auto time_of_bytes(bytes s, std::int64_t time, bytes size) {
    __extension__ using wide = __int128;
    return (static_cast<wide>(s) * time + (size - 1)) / size;
}
}  // namespace detail

/// A link between the pools. A copy of s bytes takes latency + ⌈s · time / size⌉ time units: `size` bytes are moved in
/// `time` time units, so that any rational bandwidth can be said exactly. 12 GB/s with times in nanoseconds: {12, 1}.
struct host_link {
    bytes size = 1;            ///< so many bytes, at least 1,
    std::int64_t time{};       ///< are moved in this time; 0: copies take their latency only
    std::int64_t latency{};    ///< of each copy
    bool half_duplex = false;  ///< whether copies out and in share one lane

    /// Time of a copy of s ≥ 0 bytes, rounded up to a whole unit.  O(1).
    /// Throws bad_weight where it does not fit in 64 bits.
    [[nodiscard]] constexpr auto copy_time(bytes s) const -> std::int64_t {
        auto const copy = detail::time_of_bytes(s, time, size);
        if (copy > std::numeric_limits<std::int64_t>::max())
            detail::raise(bad_weight("time of a copy of " + std::to_string(s) + " bytes overflows 64 bits"));
        return checked_add(latency, static_cast<std::int64_t>(copy), "times of copies");
    }

    /// The same, but `most` where it is longer.  O(1).
    [[nodiscard]] constexpr auto copy_time_up_to(bytes s, std::int64_t most) const -> std::int64_t {
        auto const copy = detail::time_of_bytes(s, time, size) + latency;
        return copy < most ? static_cast<std::int64_t>(copy) : most;
    }

    friend constexpr auto operator==(host_link const&, host_link const&) -> bool = default;
};

namespace detail {

/// Throws bad_weight, naming the number at fault, where a link has no bytes, or a time that is negative or infinite.
constexpr void check_link(host_link const& via) {
    if (via.size < 1)
        detail::raise(bad_weight("link: its size is " + std::to_string(via.size) + " bytes; it must be at least 1"));
    detail::check_weight(via.time, [] { return std::string("link: its time"); });
    detail::check_weight(via.latency, [] { return std::string("link: its latency"); });
}

}  // namespace detail

}  // namespace repebble::inline v0

#endif
