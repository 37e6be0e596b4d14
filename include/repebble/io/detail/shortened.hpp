#ifndef REPEBBLE_IO_DETAIL_SHORTENED_HPP
#define REPEBBLE_IO_DETAIL_SHORTENED_HPP

// Texts of files in messages: a name of a file may be as long as the file. All readers use it.

#include <cstddef>
#include <string>

namespace repebble::inline v0::io::detail {

/// Shortens a text from a file for an error message.
[[nodiscard]] inline auto shortened(std::string text) -> std::string {
    constexpr std::size_t most = 120;
    if (text.size() <= most) return text;
    auto end = most;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // not inside a character
    return text.substr(0, end) + "…";
}

}  // namespace repebble::inline v0::io::detail

#endif
