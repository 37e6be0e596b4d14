#ifndef REPEBBLE_PEBBLING_CLOCK_HPP
#define REPEBBLE_PEBBLING_CLOCK_HPP

#include <algorithm>
#include <concepts>
#include <cstdint>

#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0 {

/// What works on a step.
enum class lane : std::uint8_t { compute, offload, prefetch };

/// The replay's idea of time, a policy. `run(lane, ready, duration)` starts work that may not start before `ready` and
/// returns when it ends; `transfer_time(size)` is the duration of a copy; `in_flight(end)` says whether work that ends
/// then is still under way for the next step; `elapsed()` is when all is done.
template <class Clock, class Time>
concept replay_clock = requires(Clock clock, Clock const& seen, lane l, Time t, bytes size) {
    { clock.run(l, t, t) } -> std::same_as<Time>;
    { seen.transfer_time(size) } -> std::same_as<Time>;
    { seen.in_flight(t) } -> std::same_as<bool>;
    { seen.elapsed() } -> std::same_as<Time>;
};

/// One thing after the other. Copies take `time_per_byte` each (0: they are free).
template <quantity Time>
struct serial_clock {
    Time time_per_byte{};
    Time now{};

    constexpr auto run(lane, Time ready, Time duration) -> Time {
        now = checked_add(std::max(now, ready), duration, "times of all steps");
        return now;
    }
    [[nodiscard]] constexpr auto transfer_time(bytes size) const -> Time {
        return checked_multiply(time_per_byte, static_cast<Time>(size), "times of copies");
    }
    [[nodiscard]] constexpr auto in_flight(Time end) const -> bool { return end > now; }
    [[nodiscard]] constexpr auto elapsed() const -> Time { return now; }
};

}  // namespace repebble::inline v0

#endif
