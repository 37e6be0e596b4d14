#ifndef REPEBBLE_DETAIL_THREAD_CLOCK_HPP
#define REPEBBLE_DETAIL_THREAD_CLOCK_HPP

// A clock of CPU time per thread, for measurements of what a search cost. Limits are of time on the wall
// (wall_clock.hpp).

#include <chrono>
#include <ctime>
#include <ratio>

namespace repebble::inline v0::detail {

/// CPU time of the calling thread in seconds; of the process where the system does not measure single threads. Meets
/// the requirements of a clock in <chrono>.
struct thread_clock {
    using rep = double;
    using period = std::ratio<1>;
    using duration = std::chrono::duration<rep, period>;
    using time_point = std::chrono::time_point<thread_clock>;
    static constexpr bool is_steady = true;

    [[nodiscard]] static auto now() noexcept -> time_point {
#ifdef CLOCK_THREAD_CPUTIME_ID
        std::timespec t{};
        if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0)
            return time_point(duration(static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec)));
#endif
        return time_point(duration(static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC)));
    }
};

}  // namespace repebble::inline v0::detail

#endif
