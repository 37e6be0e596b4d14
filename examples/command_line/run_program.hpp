#ifndef COMMAND_LINE_RUN_PROGRAM_HPP
#define COMMAND_LINE_RUN_PROGRAM_HPP

// The frame of every program: one line for every error, and the exit status.

#include <cstdio>
#include <exception>
#include <new>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "interruption.hpp"
#include "one_line.hpp"

namespace command_line {

/// Exit status where the command line, a file or the machine is at fault; one line on standard error says how.
inline constexpr int at_fault = 2;

/// Exit status where the answer is that nothing fits the budget, the capacity or the limit.
inline constexpr int nothing_fits = 3;

/// Prints `program: what` in one line on standard error, where that can be written.
inline void complain(char const* program, char const* what) {
    auto const line = fmt::format("{}: {}\n", program, one_line(what));
    std::fwrite(line.data(), 1, line.size(), stderr);
}

/// Says what is wrong with the command line, or prints the help that was asked for. The exit status.
[[nodiscard]] inline auto exit_of(CLI::App const& app, char const* program, CLI::ParseError const& e) -> int {
    if (e.get_exit_code() == 0) return app.exit(e);
    complain(program, e.what());
    return at_fault;
}

/// The exit status of `program`: what body() returns; `at_fault` where it throws or where standard output cannot be
/// written, on a full disk for example; 128 and the signal where `await_interruption` saw one, as shells have it.
template <class Body>
[[nodiscard]] auto run_program(char const* program, Body&& body) -> int {
    // A file that is opened would take the place of a closed stream, and get what is printed.
    for (int const stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (::fcntl(stream, F_GETFD) == -1) {
            if (::open("/dev/null", stream == STDIN_FILENO ? O_RDONLY : O_WRONLY) != stream) return at_fault;
            if (stream == STDOUT_FILENO) {
                if (::fcntl(STDERR_FILENO, F_GETFD) != -1) complain(program, "standard output is closed");
                return at_fault;
            }
        }
    try {
        auto const status = body();
        if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
            complain(program, "standard output cannot be written");
            return at_fault;
        }
        return interrupted() ? 128 + interruption : status;
    } catch (std::bad_alloc const&) {
        complain(program, "not enough memory");
    } catch (std::exception const& e) {
        complain(program, e.what());
    }
    return at_fault;
}

}  // namespace command_line

#endif
