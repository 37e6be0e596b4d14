// Files that are packed, or not there: Python has unpacked or refused them, and zlib is not needed.
#include <filesystem>
#include <string>
#include <string_view>

#include <repebble/io/bad_file.hpp>
#include <repebble/io/gzip.hpp>
#include <repebble/io/write_file.hpp>

namespace repebble::inline v0::io {

auto read_file(std::filesystem::path const& path, read_account) -> std::string {
    throw bad_file(path.string(), "cannot be read");
}
void write_file(std::filesystem::path const& path, std::string_view) {
    throw bad_file(path.string(), "cannot be written");
}

}  // namespace repebble::inline v0::io
