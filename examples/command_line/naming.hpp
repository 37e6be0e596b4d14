#ifndef COMMAND_LINE_NAMING_HPP
#define COMMAND_LINE_NAMING_HPP

#include <string>

#include <repebble/graph/error.hpp>
#include <repebble/io/bad_file.hpp>

namespace command_line {

/// The result of f; an error that names no file yet begins with this file, or the network's name.
template <class F>
auto naming(std::string const& file, F&& f) {
    try {
        return f();
    } catch (repebble::bad_file const&) {
        throw;
    } catch (repebble::error const& e) {
        throw repebble::bad_file(file, e.what());
    }
}

}  // namespace command_line

#endif
