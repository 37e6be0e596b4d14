#ifndef REPEBBLE_DETAIL_UTF8_HPP
#define REPEBBLE_DETAIL_UTF8_HPP

// Which bytes are UTF-8. Pages replace what is not.

#include <cstddef>
#include <string_view>

namespace repebble::inline v0::detail {

/// Bytes of the UTF-8 character with which a text begins; 0 where it begins with none.
[[nodiscard]] constexpr auto utf8_length(std::string_view text) -> std::size_t {
    auto const at = [&](std::size_t i) { return static_cast<unsigned char>(i < text.size() ? text[i] : '\0'); };
    auto const first = at(0);
    if (first < 0x80) return 1;
    std::size_t const length = first >= 0xC2 && first < 0xE0   ? 2
                               : (first & 0xF0U) == 0xE0U      ? 3
                               : first >= 0xF0 && first < 0xF5 ? 4
                                                               : 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((at(i) & 0xC0U) != 0x80U) return 0;
    bool const out_of_range = (first == 0xE0 && at(1) < 0xA0) || (first == 0xED && at(1) >= 0xA0) ||
                              (first == 0xF0 && at(1) < 0x90) || (first == 0xF4 && at(1) >= 0x90);
    return out_of_range ? 0 : length;
}

}  // namespace repebble::inline v0::detail

#endif
