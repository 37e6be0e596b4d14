#ifndef ALLOCATE_ARGUMENTS_HPP
#define ALLOCATE_ARGUMENTS_HPP

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <repebble/graph/quantity.hpp>

#include "command_line/read_limits.hpp"

namespace allocate {

/// In which order the operations of a graph run: the file's, one of least peak, or that of a schedule file.
enum class order : std::uint8_t { file, least, schedule };

/// A memory, by a name that is an identifier.
struct memory {
    std::string name;
    std::optional<repebble::bytes> capacity{};  ///< nothing: any
};

/// What the command line asks for.
struct arguments {
    std::string file;  ///< a table of buffers, a graph file, an ONNX model or the name of a network
    command_line::read_limits reading;
    std::map<std::string, std::int64_t> dimensions;  ///< of an ONNX model
    std::optional<std::int64_t> batch;               ///< of an ONNX model or a network by name
    allocate::order order = allocate::order::file;   ///< of a graph
    std::string schedule_in;                         ///< the schedule file
    bool in_place = true;                            ///< of a graph: operations write over what they read last
    std::optional<repebble::bytes> capacity;         ///< nothing: as low as can be
    std::vector<memory> pools;                       ///< none: one block of memory
    bool copies = false;                             ///< of a graph in pools: buffers may be copied between them
    std::optional<double> time_limit;                ///< seconds from the begin of the program
    repebble::bytes alignment = 1;                   ///< of every offset, beside what the table says
    std::optional<std::string> out;
    std::optional<std::string> c_header;
    std::optional<std::string> svg;
    bool json = false;
};

/// Reads the command line. Returns the exit status where there is nothing more to do (help, or a wrong argument, which
/// is explained on the standard error stream).
[[nodiscard]] auto read_arguments(int argc, char const* const* argv, arguments& result) -> std::optional<int>;

}  // namespace allocate

#endif
