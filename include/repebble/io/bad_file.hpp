#ifndef REPEBBLE_IO_BAD_FILE_HPP
#define REPEBBLE_IO_BAD_FILE_HPP

#include <string>

#include <repebble/graph/error.hpp>

namespace repebble::inline v0 {

/// A file cannot be read or written, or what it holds is not what it should hold. The message begins with the name of
/// the file (or of whatever the text came from) and says which line, byte, node, edge or step is at fault.
struct bad_file : error {
    bad_file(std::string const& source, std::string const& what) : error(source + ": " + what) {}
};

}  // namespace repebble::inline v0

#endif
