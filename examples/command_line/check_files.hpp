#ifndef COMMAND_LINE_CHECK_FILES_HPP
#define COMMAND_LINE_CHECK_FILES_HPP

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <repebble/io/write_file.hpp>

namespace command_line {

/// A file by the option that names it; no file where the option is not given.
using files_by_option = std::vector<std::pair<std::string, std::optional<std::string>>>;

namespace detail {

/// The path that all paths of a file have in common, be there such a file or not yet. Requires: its folder is there.
[[nodiscard]] inline auto one_path(std::filesystem::path const& file) -> std::filesystem::path {
    std::error_code error;
    auto there = std::filesystem::canonical(file, error);
    if (!error) return there;
    auto const target = repebble::io::detail::behind_links(file, [](auto const&) {});
    return std::filesystem::canonical(target.has_parent_path() ? target.parent_path() : ".", error) / target.filename();
}

}  // namespace detail

/// Before any work: every output can be written, and is neither read nor another output, nor what a standard stream
/// was redirected to. Throws CLI::ValidationError, which names the options, or repebble::bad_file.
inline void check_files(files_by_option const& inputs, files_by_option const& outputs) {
    std::map<std::filesystem::path, std::string> owner;
    std::error_code error;
    for (auto const& [option, file] : inputs)
        if (file && std::filesystem::is_regular_file(*file, error)) owner.emplace(detail::one_path(*file), option);
    std::map<std::filesystem::path, std::string> streams;
    for (auto const& [stream, name] : {std::pair{"/dev/stdout", "standard output"}, {"/dev/stderr", "standard error"}})
        if (std::filesystem::is_regular_file(stream, error)) streams.emplace(detail::one_path(stream), name);
    for (auto const& [option, file] : outputs) {
        if (!file) continue;
        repebble::io::detail::check_writable(*file);
        if (std::filesystem::is_character_file(*file, error)) continue;  // /dev/null, a terminal
        bool const in_place = repebble::io::detail::is_written_in_place(*file);
        auto const path = detail::one_path(*file);
        auto const [other, first] = owner.emplace(path, option);
        auto const stream = streams.find(path);
        if (!first || (!in_place && stream != streams.end()))
            throw CLI::ValidationError(option,
                                       *file + " is the file of " + (first ? stream->second : other->second) + ", too");
    }
}

}  // namespace command_line

#endif
