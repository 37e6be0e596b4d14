#ifndef COMMAND_LINE_INTERRUPTION_HPP
#define COMMAND_LINE_INTERRUPTION_HPP

// Endings of a program from outside: signals, and the end of memory.

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>
#include <string_view>

#include <time.h>
#include <unistd.h>

#include "one_line.hpp"

namespace command_line {

/// Exit status where the command line, a file or the machine is at fault; one line on standard error says how.
inline constexpr int at_fault = 2;

/// The signal that asked the program to end; 0: none. Then searches end, and what they have found so far is told and
/// written.
inline std::atomic<int> interruption{0};
static_assert(std::atomic<int>::is_always_lock_free, "a signal's handler may write it");

[[nodiscard]] inline auto interrupted() -> bool { return interruption != 0; }

namespace detail {

/// The name of the program, and of what it is about: a file or a network. Messages begin with them.
inline std::string program, subject;

/// Last words of a program that the first signal, or the end of memory, ends at once; null: both are heard later.
inline std::atomic<char const*> words_at_signal{nullptr}, words_at_end_of_memory{nullptr};

[[noreturn]] inline void end_at_once(char const* words, int status) {
    static_cast<void>(::write(STDERR_FILENO, words, std::strlen(words)) == 0);  // nobody to tell of a failure
    ::_exit(status);
}

/// The signals that ask a program to end: Ctrl-C; `kill`, `timeout`, batch systems; a terminal that is closed; a limit
/// of CPU seconds.
inline constexpr int endings[] = {SIGINT, SIGTERM, SIGHUP, SIGXCPU};

/// The handler of all of them.
inline void hear(int which) {
    constexpr std::int64_t at_once = 200'000'000;
    static std::atomic<std::int64_t> first_at{0};
    if (auto const* const words = words_at_signal.load()) end_at_once(words, 128 + which);
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    auto const nanoseconds = std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
    if (!interrupted()) {
        interruption = which;
        first_at = nanoseconds;
        return;
    }
    // `timeout` and terminals tell the program and its group, and the limit of CPU seconds is told every second.
    if (which == SIGXCPU || nanoseconds - first_at < at_once) return;
    std::signal(which, SIG_DFL);
    std::raise(which);
}

}  // namespace detail

/// From now on the first signal that asks the program to end ends searches, and a second one, from a fifth of a second
/// on, the program. What the parent ignores, as `nohup` does and a shell's script for what it runs beside itself, stays
/// ignored.
inline void await_interruption() {
    for (int const which : detail::endings) {
        struct sigaction old {};
        if (::sigaction(which, nullptr, &old) != 0 || old.sa_handler == SIG_IGN) continue;
        struct sigaction heard {};
        heard.sa_handler = detail::hear;
        heard.sa_flags = SA_RESTART;
        ::sigaction(which, &heard, nullptr);
    }
}

/// While it lives there is no result that could be lost: a file is read, for example, which may be a pipe that nobody
/// writes. The first signal ends the program then, and so does the end of memory, whose exceptions would meet
/// destructors that need some: with one line, which names the subject, and no clearing up.
class before_results {
  public:
    /// subject: a file, or the name of a network.
    explicit before_results(std::string const& subject) {
        detail::subject = subject;
        auto const name = detail::program + ": " + one_line(subject);
        interrupted_ = name + ": interrupted before there was a result\n";
        short_of_memory_ = name + ": not enough memory\n";
        detail::words_at_end_of_memory = short_of_memory_.c_str();
        old_ = std::set_new_handler([] { detail::end_at_once(detail::words_at_end_of_memory.load(), at_fault); });
        detail::words_at_signal = interrupted_.c_str();
        if (interrupted()) detail::hear(interruption);  // the signal came before
    }
    before_results(before_results const&) = delete;
    auto operator=(before_results const&) -> before_results& = delete;
    ~before_results() {
        detail::words_at_signal = nullptr;
        std::set_new_handler(old_);
    }

  private:
    std::string interrupted_{}, short_of_memory_{};
    std::new_handler old_ = nullptr;
};

}  // namespace command_line

#endif
