#ifndef REPEBBLE_IO_WRITE_FILE_HPP
#define REPEBBLE_IO_WRITE_FILE_HPP

// Writing of whole files, compressed by the name's ending.

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <repebble/detail/raise.hpp>
#include <repebble/io/bad_file.hpp>
#include <repebble/io/gzip.hpp>

namespace repebble::inline v0::io {

/// Writes a text to a file, replacing its content; as gzip data where the file's name ends in .gz.
/// Throws bad_file where the file cannot be written.
inline void write_file(std::filesystem::path const& path, std::string_view text) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    if (!file) repebble::detail::raise(bad_file(path.string(), "cannot be opened for writing"));
    auto const packed = path.extension() == ".gz" ? gzip(text) : std::string();
    if (!packed.empty()) text = packed;
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    file.close();
    if (!file) repebble::detail::raise(bad_file(path.string(), "cannot be written"));
}

}  // namespace repebble::inline v0::io

#endif
