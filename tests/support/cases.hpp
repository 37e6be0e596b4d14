#ifndef REPEBBLE_TESTS_SUPPORT_CASES_HPP
#define REPEBBLE_TESTS_SUPPORT_CASES_HPP

#include <cstddef>

namespace support {

/// How many of so many random cases a slow test tries, or what it counts in them: a quarter with the sanitizers, under
/// which each takes several times as long. (tests/run does the same with RapidCheck's.)
constexpr auto cases(std::size_t all) -> std::size_t {
#if defined(__SANITIZE_ADDRESS__)
    return all / 4;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
    return all / 4;
#else
    return all;
#endif
#else
    return all;
#endif
}

}  // namespace support

#endif
