#ifndef REPEBBLE_IO_WRITE_FILE_HPP
#define REPEBBLE_IO_WRITE_FILE_HPP

// Writing of whole files, compressed by the name's ending.

#include <filesystem>
#include <string_view>

#include <repebble/io/detail/part_file.hpp>

namespace repebble::inline v0::io {

namespace detail {

/// Whether `write_file` writes a path as it is instead of replacing it: a pipe, a terminal, or what a link of the
/// system such as /dev/stdout leads to, be it a file.
[[nodiscard]] auto is_written_in_place(std::filesystem::path const& path) -> bool;

/// Throws bad_file where `write_file` could not write the file. Leaves everything as it is.
inline void check_writable(std::filesystem::path const& path) {
    if (!detail::is_written_in_place(path)) detail::part_file{path};
}

}  // namespace detail

/// Writes a text to a file, replacing its content; as gzip data where the file's name ends in .gz. The text is written
/// beside the file, under the name FILE.N.part, and replaces it when it is whole: whatever happens, the file is the old
/// or the new one. Symbolic links stay, and so do the permissions of a file that is replaced, which need not allow
/// writing; other names of it (hard links) keep the old content. What `is_written_in_place` is appended to as it is.
/// Throws bad_file where the file cannot be written.
void write_file(std::filesystem::path const& path, std::string_view text);

}  // namespace repebble::inline v0::io

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/io/write_file.ipp>
#endif

#endif
