#ifndef REPEBBLE_TESTS_SUPPORT_THROWS_HPP
#define REPEBBLE_TESTS_SUPPORT_THROWS_HPP

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

namespace support {

/// Whether f throws an `Error` (or an exception derived from it) whose message has all the words.
template <class Error, class F>
[[nodiscard]] auto throws(F&& f, std::initializer_list<std::string_view> words) -> bool {
    try {
        static_cast<void>(f());
    } catch (Error const& e) {
        std::string_view const message = e.what();
        return std::ranges::all_of(words, [&](auto word) { return message.find(word) != message.npos; });
    }
    return false;
}

}  // namespace support

#endif
