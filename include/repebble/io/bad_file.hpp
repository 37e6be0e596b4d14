#ifndef REPEBBLE_IO_BAD_FILE_HPP
#define REPEBBLE_IO_BAD_FILE_HPP

// The exception of all readers and writers of files.

#include <string>

#include <repebble/graph/error.hpp>

namespace repebble::inline v0 {

/// A file cannot be read or written, or its content is not valid. The message begins with the name of the file (or of
/// the text's source) and names the line, byte, node, edge or step at fault.
struct bad_file : error {
    /// The message is `source: what`, with \0 for zero bytes, which would end it.
    bad_file(std::string const& source, std::string const& what) : error(without_zeros(source + ": " + what)) {}

  private:
    [[nodiscard]] static auto without_zeros(std::string const& message) -> std::string {
        std::string without;
        for (char const c : message) c == '\0' ? without += "\\0" : without += c;
        return without;
    }
};

}  // namespace repebble::inline v0

#endif
