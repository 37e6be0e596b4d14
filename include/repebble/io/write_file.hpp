#ifndef REPEBBLE_IO_WRITE_FILE_HPP
#define REPEBBLE_IO_WRITE_FILE_HPP

#include <filesystem>
#include <fstream>
#include <string_view>

#include <repebble/io/bad_file.hpp>

namespace repebble::io {

/// Writes a text to a file, in place of what was there.  Throws bad_file where that cannot be done.
inline void write_file(std::filesystem::path const& path, std::string_view text) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    if (!file) throw bad_file(path.string(), "cannot be opened for writing");
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    file.close();
    if (!file) throw bad_file(path.string(), "cannot be written");
}

}  // namespace repebble::io

#endif
