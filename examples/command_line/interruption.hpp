#ifndef COMMAND_LINE_INTERRUPTION_HPP
#define COMMAND_LINE_INTERRUPTION_HPP

#include <atomic>
#include <csignal>

namespace command_line {

/// The signal, SIGINT (Ctrl-C) or SIGTERM, that asked the program to end; 0: none. Then searches end, and what they
/// have found so far is told and written.
inline std::atomic<int> interruption{0};
static_assert(std::atomic<int>::is_always_lock_free, "a signal's handler may write it");

[[nodiscard]] inline auto interrupted() -> bool { return interruption != 0; }

/// From now on the first SIGINT or SIGTERM ends searches, and the second the program.
inline void await_interruption() {
    for (auto const signal : {SIGINT, SIGTERM})
        std::signal(signal, [](int which) {
            interruption = which;
            std::signal(SIGINT, SIG_DFL);
            std::signal(SIGTERM, SIG_DFL);
        });
}

}  // namespace command_line

#endif
