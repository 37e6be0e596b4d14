#ifndef SWAP_ARGUMENTS_HPP
#define SWAP_ARGUMENTS_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <repebble/pebbling/host_link.hpp>

#include "command_line/read_limits.hpp"

namespace swap_program {

/// What the command line asks for.
struct arguments {
    std::string trace;
    command_line::read_limits reading;
    std::optional<std::size_t> iteration;  ///< of the file; none: the last
    std::string limit = "60%";
    std::string link = "12GB/s,10us";  ///< as it was written
    repebble::host_link via{};         ///< the same in numbers
    std::vector<std::string> methods;  ///< those named; none: all that are usual
    std::size_t episodes = 300;        ///< of dqn
    std::uint64_t seed = 1;            ///< of dqn, and of automatic
    std::optional<double> time_limit;  ///< seconds, of each of these two
    std::optional<std::string> out, write;
    bool json = false;
};

/// Reads the command line. Returns the exit status where there is nothing more to do (help, or a wrong argument, which
/// is explained on the standard error stream).
[[nodiscard]] auto read_arguments(int argc, char const* const* argv, arguments& result) -> std::optional<int>;

}  // namespace swap_program

#endif
