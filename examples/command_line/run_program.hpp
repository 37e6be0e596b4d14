#ifndef COMMAND_LINE_RUN_PROGRAM_HPP
#define COMMAND_LINE_RUN_PROGRAM_HPP

// The frame of every program: one line for every error, and the exit status.

#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>
#include <string_view>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "interruption.hpp"
#include "one_line.hpp"

namespace command_line {

/// Exit status where the answer is that nothing fits the budget, the capacity or the limit.
inline constexpr int nothing_fits = 3;

/// Prints `program: what` in one line on standard error, where that can be written.
inline void complain(std::string_view what) {
    auto const line = fmt::format("{}: {}\n", detail::program, one_line(what));
    std::fwrite(line.data(), 1, line.size(), stderr);
}

/// Says what is wrong with the command line, or prints the help that was asked for. The exit status.
[[nodiscard]] inline auto exit_of(CLI::App const& app, CLI::ParseError const& e) -> int {
    if (e.get_exit_code() == 0) return app.exit(e);
    complain(e.what());
    return at_fault;
}

/// Calls f(), and tells its failure in one line; of standard output `run_program` tells. Returns whether f returned.
template <class F>
auto attempt(F&& f) -> bool {
    bool const could_print = std::ferror(stdout) == 0;
    auto const tell = [&](std::string_view what) {
        if (!could_print || std::ferror(stdout) == 0) complain(what);
    };
    auto const tell_of_memory = [&] {
        tell(fmt::format("{}{}not enough memory", detail::subject, detail::subject.empty() ? "" : ": "));
    };
    try {
        f();
        return true;
    } catch (std::bad_alloc const&) {
        tell_of_memory();
    } catch (std::length_error const&) {  // of a container that no memory could hold
        tell_of_memory();
    } catch (std::exception const& e) {
        tell(e.what());
    }
    return false;
}

/// Calls each, though another fails: of several outputs none is lost with another. The status, or `at_fault` where one
/// has failed.
template <class... F>
[[nodiscard]] auto attempt_each(int status, F&&... each) -> int {
    ((status = attempt(each) ? status : at_fault), ...);
    return status;
}

/// The exit status of `program`: what body() returns; `at_fault` where it throws or where standard output cannot be
/// written, on a full disk for example; 128 and the signal where one has ended its searches, as shells have it.
template <class Body>
[[nodiscard]] auto run_program(char const* program, Body&& body) -> int {
    detail::program = program;
    // A file that is opened would take the place of a closed stream, and get what is printed.
    for (int const stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (::fcntl(stream, F_GETFD) == -1) {
            if (::open("/dev/null", stream == STDIN_FILENO ? O_RDONLY : O_WRONLY) != stream) return at_fault;
            if (stream == STDOUT_FILENO) {
                if (::fcntl(STDERR_FILENO, F_GETFD) != -1) complain("standard output is closed");
                return at_fault;
            }
        }
    // Where one output is too large, or nobody reads it any more, the others are written all the same.
    std::signal(SIGXFSZ, SIG_IGN);
    bool const ends_with_reader = std::signal(SIGPIPE, SIG_IGN) == SIG_DFL;
    await_interruption();
    int status = at_fault;
    if (!attempt([&] { status = body(); })) status = at_fault;
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
        pollfd reader{STDOUT_FILENO, POLLOUT, 0};
        if (ends_with_reader && ::poll(&reader, 1, 0) == 1 && (reader.revents & (POLLERR | POLLHUP)) != 0) {
            std::signal(SIGPIPE, SIG_DFL);
            std::raise(SIGPIPE);
        }
        complain("standard output cannot be written");
        return at_fault;
    }
    return interrupted() && status != at_fault ? 128 + interruption : status;
}

}  // namespace command_line

#endif
