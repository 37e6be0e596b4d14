#ifndef COMMAND_LINE_CPU_SECONDS_HPP
#define COMMAND_LINE_CPU_SECONDS_HPP

#include <ctime>

#include <sys/resource.h>

namespace command_line {

/// CPU seconds of this process so far, without the system's for it.
[[nodiscard]] inline auto user_seconds() -> double {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return static_cast<double>(used.ru_utime.tv_sec * 1'000'000 + used.ru_utime.tv_usec) / 1e6;
}

/// The same with the system's, to the microsecond: what is short is not seen in user_seconds().
[[nodiscard]] inline auto cpu_seconds() -> double {
    std::timespec used{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

}  // namespace command_line

#endif
