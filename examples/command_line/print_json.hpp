#ifndef COMMAND_LINE_PRINT_JSON_HPP
#define COMMAND_LINE_PRINT_JSON_HPP

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace command_line {

/// Prints a JSON text and ends the line, in lines of its own where `indent` is not negative. What is not UTF-8 is
/// replaced, and what controls a terminal escaped: JSON itself allows U+007F to U+009F as they are.
template <class Json>
void print_json(Json const& all, int indent = -1) {
    std::string line;
    std::string const text = all.dump(indent, ' ', false, Json::error_handler_t::replace);
    for (std::size_t i = 0; i < text.size(); ++i) {
        auto const at = [&](std::size_t k) { return static_cast<unsigned char>(k < text.size() ? text[k] : '\0'); };
        bool const is_c1 = at(i) == 0xC2 && at(i + 1) < 0xA0;
        if (is_c1) ++i;
        if (is_c1 || at(i) == 0x7F)
            line += fmt::format("\\u{:04x}", at(i));
        else
            line += text[i];
    }
    fmt::print("{}\n", line);
}

}  // namespace command_line

#endif
