#ifndef REPEBBLE_IO_WRITE_FILE_HPP
#define REPEBBLE_IO_WRITE_FILE_HPP

// Writing of whole files, compressed by the name's ending.

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

#include <repebble/detail/raise.hpp>
#include <repebble/io/bad_file.hpp>
#include <repebble/io/detail/part_file.hpp>
#include <repebble/io/gzip.hpp>

namespace repebble::inline v0::io {

/// Whether `write_file` writes a path as it is instead of replacing it: a pipe, a terminal, or what a link of the
/// system such as /dev/stdout leads to, be it a file.
[[nodiscard]] inline auto is_written_in_place(std::filesystem::path const& path) -> bool {
    bool is_of_system = false;
    static_cast<void>(detail::behind_links(path, [&](std::filesystem::path const& link) {
        auto const name = std::filesystem::absolute(link).string();
        is_of_system = is_of_system || name.starts_with("/dev/") || name.starts_with("/proc/");
    }));
    if (is_of_system) return true;
    std::error_code error;
    auto const there = std::filesystem::status(path, error);
    return std::filesystem::exists(there) && !std::filesystem::is_regular_file(there) &&
           !std::filesystem::is_directory(there);
}

/// Throws bad_file where `write_file` could not write the file. Leaves everything as it is.
inline void check_writable(std::filesystem::path const& path) {
    if (!is_written_in_place(path)) detail::part_file{path};
}

/// Writes a text to a file, replacing its content; as gzip data where the file's name ends in .gz. The text is written
/// beside the file, under the name FILE.N.part, and replaces it when it is whole: whatever happens, the file is the old
/// or the new one. Symbolic links stay, and so do the permissions of a file that is replaced, which need not allow
/// writing; other names of it (hard links) keep the old content. What `is_written_in_place` is appended to as it is.
/// Throws bad_file where the file cannot be written.
inline void write_file(std::filesystem::path const& path, std::string_view text) {
    auto const packed = path.extension() == ".gz" ? gzip(text) : std::string();
    if (!packed.empty()) text = packed;
    if (!is_written_in_place(path)) return detail::part_file(path).replace_target(text);
    std::ofstream file(path, std::ios::binary | std::ios::app);
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    file.close();
    if (!file) repebble::detail::raise(bad_file(path.string(), "cannot be written"));
}

}  // namespace repebble::inline v0::io

#endif
