#ifndef PLAN_INTERRUPTION_HPP
#define PLAN_INTERRUPTION_HPP

#include <atomic>
#include <csignal>

namespace plan {

/// Whether Ctrl-C was pressed: then searches end, and what they have found so far is told.
inline std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal's handler may write it");

/// From now on the first Ctrl-C ends searches, and the second the program.
inline void await_interruption() {
    std::signal(SIGINT, [](int) {
        interrupted = true;
        std::signal(SIGINT, SIG_DFL);
    });
}

}  // namespace plan

#endif
