#ifndef CHAIN_ARGUMENTS_HPP
#define CHAIN_ARGUMENTS_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <repebble/chains/chain.hpp>
#include <repebble/chains/revolve.hpp>
#include <repebble/chains/storage_level.hpp>
#include <repebble/graph/quantity.hpp>

#include "command_line/read_limits.hpp"

namespace chain_program {

/// What the command line asks for.
struct arguments {
    std::string file;
    command_line::read_limits reading;
    std::string time_unit;              ///< of a file that does not say it; empty: none
    std::optional<std::string> budget;  ///< nothing: the curve
    std::optional<std::size_t> slots;   ///< nothing: no slots
    double epsilon = 0;
    bool drop_saved_inputs = false;
    repebble::memory_test test = repebble::memory_test::tight;
    std::size_t threads = 1;
    std::optional<std::size_t> point_limit;
    bool actions = false;
    bool json = false;

    std::optional<std::uint64_t> uniform;  ///< steps; then only what follows, and json
    bool online = false;                   ///< instead: a step for each line of the standard input
    std::uint32_t snapshots = 0;
    repebble::initial_state first = repebble::initial_state::counted;
    bool count = false;
    std::optional<repebble::storage_level> disk;  ///< beside the memory
};

/// Reads the command line. Returns the exit status where there is nothing more to do (help, or a wrong argument, which
/// is explained on the standard error stream).
[[nodiscard]] auto read_arguments(int argc, char const* const* argv, arguments& result) -> std::optional<int>;

/// Bytes that a budget such as 4GiB or 60% (of `keep_all`, rounded down) stands for.
/// Throws repebble::error for anything else.
[[nodiscard]] auto parse_budget(std::string const& text, repebble::bytes keep_all) -> repebble::bytes;

}  // namespace chain_program

#endif
