#ifndef COMMAND_LINE_ONNX_ARGUMENTS_HPP
#define COMMAND_LINE_ONNX_ARGUMENTS_HPP

#include <charconv>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <system_error>

#include <CLI/CLI.hpp>

/// Arguments of programs that take ONNX models.
namespace command_line {

/// Whether a word names an ONNX file, which may be packed.
[[nodiscard]] inline auto names_onnx(std::string_view file) -> bool {
    return file.ends_with(".onnx") || file.ends_with(".onnx.gz");
}

/// Adds `--dimension name=value`, which may be repeated, and the same as words behind the file.
inline void add_dimensions(CLI::App& app, std::map<std::string, std::int64_t>& dimensions) {
    auto const add = [&dimensions](std::string const& text) {
        auto const equals = text.rfind('=');
        std::int64_t number = 0;
        auto const* const first = text.data() + (equals == text.npos ? text.size() : equals + 1);
        auto const* const last = text.data() + text.size();
        auto const [end, wrong] = std::from_chars(first, last, number);
        if (equals == 0 || first == last || wrong != std::errc{} || end != last || number < 1)
            throw CLI::ValidationError("--dimension", text + " is not name=value with a whole number from 1 on");
        if (!dimensions.emplace(text.substr(0, equals), number).second)
            throw CLI::ValidationError("--dimension", text + ": the name is given twice");
    };
    auto const add_all = [add](std::vector<std::string> const& words) {
        for (auto const& word : words) add(word);
    };
    app.add_option_function<std::vector<std::string>>(
           "--dimension", add_all, "of an ONNX model: name=value, an extent that the file leaves open; may be repeated")
        ->type_name("NAME=N")
        ->allow_extra_args(false);
    auto const add_words = [add_all](std::vector<std::string> const& words) {
        for (auto const& word : words)
            if (word.find('=') == word.npos) throw CLI::ExtrasError({word});
        add_all(words);
    };
    app.add_option_function<std::vector<std::string>>("dimensions", add_words,
                                                      "of an ONNX model: the same as --dimension")
        ->type_name("NAME=N");
}

}  // namespace command_line

#endif
