#ifndef COMMAND_LINE_ONE_LINE_HPP
#define COMMAND_LINE_ONE_LINE_HPP

#include <string>
#include <string_view>

namespace command_line {

/// The text with its control characters escaped as in C: names that files give may have any, and a message has one
/// line.
[[nodiscard]] inline auto one_line(std::string_view text) -> std::string {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string line;
    for (char const c : text) {
        auto const code = static_cast<unsigned char>(c);
        if (c == '\n')
            line += "\\n";
        else if (c == '\t')
            line += "\\t";
        else if (c == '\r')
            line += "\\r";
        else if (code < 0x20 || code == 0x7f)
            (line += "\\x").append({digits[code / 16U], digits[code % 16U]});
        else
            line += c;
    }
    return line;
}

}  // namespace command_line

#endif
