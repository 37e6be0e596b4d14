#ifndef REPEBBLE_DETAIL_RUN_BESIDE_HPP
#define REPEBBLE_DETAIL_RUN_BESIDE_HPP

// Two tasks beside one another on two threads. The planner runs annealing beside the rest of its search with it.

#include <utility>

#include <repebble/detail/joining_thread.hpp>
#include <repebble/detail/raise.hpp>

namespace repebble::inline v0::detail {

/// Asks to stop where its life ends.
struct stop_at_end {
    stop_flag& flag;

    ~stop_at_end() { flag.request_stop(); }
};

/// Calls work() on this thread and other(stop) on another one. Stop is requested when work() has ended, and `other` is
/// to return soon after; it is not called where the system has no more threads. Returns when both have ended; then
/// throws the exception of either of them.
template <class Work, class Other>
void run_beside(Work&& work, Other&& other) {
    failure failed;
    {
        stop_flag flag;
        auto const beside =
            joining_thread::start([&] { static_cast<void>(failed.run([&] { other(std::as_const(flag)); })); });
        stop_at_end const asks{flag};
        work();
    }  // asks it to stop, and joins
    failed.rethrow();
}

}  // namespace repebble::inline v0::detail

#endif
