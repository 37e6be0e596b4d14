#ifndef MEASURE_USER_CLOCK_HPP
#define MEASURE_USER_CLOCK_HPP

#include <utility>

#include <sys/resource.h>

/// What programs about time and memory measure with.
namespace measure {

[[nodiscard]] inline auto usage() -> rusage {
    rusage u{};
    getrusage(RUSAGE_SELF, &u);
    return u;
}

/// User-CPU seconds of this process so far; some systems only know them to hundredths.
[[nodiscard]] inline auto user_seconds() -> double {
    auto const t = usage().ru_utime;
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
}

/// The result of f(), and the user-CPU seconds that it took.
template <class F>
[[nodiscard]] auto timed(F&& f) {
    auto const begin = user_seconds();
    auto result = f();
    return std::pair(std::move(result), user_seconds() - begin);
}

/// The same, where what is quick is done again until it took a quarter of a second: the mean then.
template <class F>
[[nodiscard]] auto timed_often(F&& f) {
    auto [result, seconds] = timed(f);
    int times = 1;
    for (; seconds < 0.25; ++times) seconds += timed(f).second;
    return std::pair(std::move(result), seconds / times);
}

}  // namespace measure

#endif
