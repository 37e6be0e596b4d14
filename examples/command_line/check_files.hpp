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

/// Before any work: every output can be written, and is neither read nor another output.
/// Throws CLI::ValidationError, which names the options, or repebble::bad_file.
inline void check_files(files_by_option const& inputs, files_by_option const& outputs) {
    std::map<std::filesystem::path, std::string> owner;
    std::error_code error;
    for (auto const& [option, file] : inputs)
        if (file && std::filesystem::is_regular_file(*file, error))
            owner.emplace(std::filesystem::weakly_canonical(*file), option);
    for (auto const& [option, file] : outputs) {
        if (!file) continue;
        repebble::io::detail::check_writable(*file);
        if (repebble::io::detail::is_written_in_place(*file)) continue;
        auto const [other, first] = owner.emplace(std::filesystem::weakly_canonical(*file), option);
        if (!first) throw CLI::ValidationError(option, *file + " is the file of " + other->second + ", too");
    }
}

}  // namespace command_line

#endif
