#ifndef COMMAND_LINE_PARSE_NUMBER_HPP
#define COMMAND_LINE_PARSE_NUMBER_HPP

#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <CLI/CLI.hpp>

namespace command_line {

/// The text as a number, all of it; nothing where it is none.
template <class Number>
[[nodiscard]] auto number_in(std::string_view text) -> std::optional<Number> {
    Number number{};
    auto const [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (wrong != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

/// Throws CLI::ValidationError, which names the option, where the text is no number of seconds from 0 on.
[[nodiscard]] inline auto parse_seconds(std::string const& option, std::string const& text) -> double {
    auto const seconds = number_in<double>(text);
    if (!seconds || !(*seconds >= 0) || !std::isfinite(*seconds))
        throw CLI::ValidationError(option, text + " is not a number of seconds from 0 on");
    return *seconds;
}

}  // namespace command_line

#endif
