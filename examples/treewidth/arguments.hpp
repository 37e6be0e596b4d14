#ifndef TREEWIDTH_ARGUMENTS_HPP
#define TREEWIDTH_ARGUMENTS_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "command_line/read_limits.hpp"

namespace treewidth_program {

/// What the command line asks for.
struct arguments {
    std::string graph;
    command_line::read_limits reading;
    std::string heuristic = "best";
    std::optional<double> time_limit;
    std::uint64_t seed = 1;
    std::size_t threads = 0;  ///< 0: as many as there are cores
    bool moral = false;
    std::optional<std::string> td, dot, svg;
    bool json = false;
};

/// Reads the command line. Returns the exit status where there is nothing more to do (help, or a wrong argument, which
/// is explained on the standard error stream).
[[nodiscard]] auto read_arguments(int argc, char const* const* argv, arguments& result) -> std::optional<int>;

}  // namespace treewidth_program

#endif
