#ifndef COMMAND_LINE_ONE_LINE_HPP
#define COMMAND_LINE_ONE_LINE_HPP

#include <string>
#include <string_view>

#include <repebble/detail/utf8.hpp>

namespace command_line {

/// The text with its control characters, and what is not UTF-8, escaped as in C: names that files give may have any,
/// and a message has one line.
[[nodiscard]] inline auto one_line(std::string_view text) -> std::string {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string line;
    while (!text.empty()) {
        auto const length = repebble::detail::utf8_length(text);
        auto const character = text.substr(0, length == 0 ? 1 : length);  // or a byte that is none
        text.remove_prefix(character.size());
        auto const c = character.front();
        auto const code = static_cast<unsigned char>(c);
        // U+0080 to U+009F control terminals, too.
        bool const is_control = code < 0x20 || code == 0x7f || (character >= "\xc2\x80" && character < "\xc2\xa0");
        if (c == '\n')
            line += "\\n";
        else if (c == '\t')
            line += "\\t";
        else if (c == '\r')
            line += "\\r";
        else if (length == 0 || is_control)
            for (auto const byte : character)
                (line += "\\x")
                    .append({digits[static_cast<unsigned char>(byte) / 16U],
                             digits[static_cast<unsigned char>(byte) % 16U]});
        else
            line += character;
    }
    return line;
}

}  // namespace command_line

#endif
