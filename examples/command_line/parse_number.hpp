#ifndef COMMAND_LINE_PARSE_NUMBER_HPP
#define COMMAND_LINE_PARSE_NUMBER_HPP

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

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

/// Adds an option whose value is a whole number from `least` to `most`; the target may be optional.
template <class Number = std::int64_t, class Target>
auto add_count(CLI::App& app, std::string const& name, Target& target, std::type_identity_t<Number> least,
               std::type_identity_t<Number> most, std::string const& help) -> CLI::Option* {
    auto const set = [&target, name, least, most](std::string const& text) {
        auto const number = number_in<Number>(text);
        if (!number || *number < least || *number > most)
            throw CLI::ValidationError(
                name, text + " is not a whole number from " + std::to_string(least) + " to " + std::to_string(most));
        if constexpr (requires { typename Target::value_type; }) {
            target = static_cast<Target::value_type>(*number);
        } else {
            target = static_cast<Target>(*number);
        }
    };
    return app.add_option_function<std::string>(name, set, help)->type_name("N");
}

}  // namespace command_line

#endif
