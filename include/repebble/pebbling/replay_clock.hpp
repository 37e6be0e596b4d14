#ifndef REPEBBLE_PEBBLING_REPLAY_CLOCK_HPP
#define REPEBBLE_PEBBLING_REPLAY_CLOCK_HPP

// Models of time for the pebble game: the concept of a clock, and the serial clock, on which steps run one after
// another. `lanes_clock.hpp` has the clock on which copies run beside computations; a caller may bring his own.

#include <algorithm>
#include <concepts>
#include <cstdint>

#include <repebble/graph/quantity.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble::inline v0 {

/// The unit that executes a step: operations on one, copies out and in on two others.
enum class lane : std::uint8_t { compute, offload, prefetch };

/// The model of time of a replay. `run(lane, ready, duration)` starts work not before `ready` and returns its end;
/// `transfer_time(size)` is the duration of a copy; `elapsed()` is the end of all work.
template <class Clock, class Time>
concept replay_clock = requires(Clock clock, Clock const& seen, lane l, Time t, bytes size) {
    { clock.run(l, t, t) } -> std::same_as<Time>;
    { seen.transfer_time(size) } -> std::same_as<Time>;
    { seen.elapsed() } -> std::same_as<Time>;
};

/// A clock on which work of several lanes overlaps. A discard takes effect when the work on the value has ended:
/// `release(pool, when)` says so, and `available(pool)` is the time from which all memory released so far is free.
template <class Clock, class Time>
concept overlapping_clock = replay_clock<Clock, Time> && requires(Clock clock, Clock const& seen, pool where, Time t) {
    clock.release(where, t);
    { seen.available(where) } -> std::same_as<Time>;
};

/// A clock on which all steps and copies run one after another. Copies take `time_per_byte` for each byte (0: they are
/// free).
struct serial_clock {
    std::int64_t time_per_byte{};  ///< of copies between the pools
    std::int64_t now{};            ///< end of all that has run

    /// Runs for so long, from `ready` on at the earliest; returns the end.
    constexpr auto run(lane, std::int64_t ready, std::int64_t duration) -> std::int64_t {
        now = checked_add(std::max(now, ready), duration, "times of all steps");
        return now;
    }
    /// Time of a copy of so many bytes.
    [[nodiscard]] constexpr auto transfer_time(bytes size) const -> std::int64_t {
        return checked_multiply(time_per_byte, size, "times of copies");
    }
    /// Time so far.
    [[nodiscard]] constexpr auto elapsed() const -> std::int64_t { return now; }
};

}  // namespace repebble::inline v0

#endif
