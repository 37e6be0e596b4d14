#ifndef COMMAND_LINE_USER_SECONDS_HPP
#define COMMAND_LINE_USER_SECONDS_HPP

#include <sys/resource.h>

namespace command_line {

/// CPU seconds of this process so far, without the system's for it.
[[nodiscard]] inline auto user_seconds() -> double {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return static_cast<double>(used.ru_utime.tv_sec * 1'000'000 + used.ru_utime.tv_usec) / 1e6;
}

}  // namespace command_line

#endif
