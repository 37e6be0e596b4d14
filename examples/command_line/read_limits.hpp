#ifndef COMMAND_LINE_READ_LIMITS_HPP
#define COMMAND_LINE_READ_LIMITS_HPP

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include <repebble/graph/error.hpp>
#include <repebble/io/byte_size.hpp>
#include <repebble/io/read_account.hpp>

#include "interruption.hpp"
#include "parse_number.hpp"

namespace command_line {

/// Limits of reading a file, where the command line says them.
struct read_limits {
    std::optional<std::size_t> memory{}, work{};

    /// The account of one file, which must be read within so many seconds, or one: a limit of 0 is for searches.
    [[nodiscard]] auto account(std::optional<double> seconds = {}) const -> repebble::io::read_account {
        if (seconds) seconds = std::max(*seconds, 1.0);
        return repebble::io::read_account({.seconds = seconds, .work = work, .stop = interrupted}, memory);
    }
};

/// Adds `--read-memory` and `--read-work`.
inline void add_read_limits(CLI::App& app, read_limits& limits) {
    app.add_option_function<std::string>(
           "--read-memory",
           [&limits](std::string const& text) {
               try {
                   limits.memory = static_cast<std::size_t>(repebble::io::parse_bytes(text));
               } catch (repebble::error const& e) {
                   throw CLI::ValidationError("--read-memory", e.what());
               }
           },
           "reading a file takes at most so much memory (default 256MiB, and 256 bytes for each of the file)")
        ->type_name("SIZE");
    app.add_option_function<std::string>(
           "--read-work",
           [&limits](std::string const& text) {
               limits.work = number_in<std::size_t>(text);
               if (!limits.work) throw CLI::ValidationError("--read-work", text + " is not a whole number");
           },
           "… and so many steps (default 2^27, and 1024 for each byte)")
        ->type_name("N");
}

}  // namespace command_line

#endif
