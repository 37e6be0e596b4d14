#ifndef REPEBBLE_DETAIL_WALL_CLOCK_HPP
#define REPEBBLE_DETAIL_WALL_CLOCK_HPP

// The clock of all limits: time as the caller's watch has it, whatever else the machine does. A search divides what is
// left of a limit by it, so that a busy machine, or a container with a quota, gets less work done but ends in time.

#include <chrono>
#include <ratio>

namespace repebble::inline v0::detail {

/// Steady time in seconds. Meets the requirements of a clock in <chrono>.
struct wall_clock {
    using rep = double;
    using period = std::ratio<1>;
    using duration = std::chrono::duration<rep, period>;
    using time_point = std::chrono::time_point<wall_clock>;
    static constexpr bool is_steady = true;

    [[nodiscard]] static auto now() noexcept -> time_point {
        return time_point(duration(std::chrono::steady_clock::now().time_since_epoch()));
    }
};

/// Seconds beyond a limit that a first result may take, without which there would be none.
[[nodiscard]] constexpr auto grace_of(double limit) -> double { return limit < 13 ? 0.35 + limit / 20 : 1; }

}  // namespace repebble::inline v0::detail

#endif
