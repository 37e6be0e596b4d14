#ifndef REPEBBLE_DETAIL_RUN_BESIDE_HPP
#define REPEBBLE_DETAIL_RUN_BESIDE_HPP

#include <exception>
#include <optional>
#include <stop_token>
#include <system_error>
#include <thread>

namespace repebble::inline v0::detail {

/// Calls work() here and, as long as that takes, other(stop) on another thread, which is to end soon where stop is
/// requested; not at all where the system has no more threads. Returns, or throws what either of them throws, when both
/// have ended.
template <class Work, class Other>
void run_beside(Work&& work, Other&& other) {
    std::exception_ptr failure;
    {
        std::optional<std::jthread> beside;
        try {
            beside.emplace([&](std::stop_token const& stop) {
                try {
                    other(stop);
                } catch (...) {
                    failure = std::current_exception();
                }
            });
        } catch (std::system_error const&) {
        }
        work();
    }  // asks it to stop, and joins
    if (failure) std::rethrow_exception(failure);
}

}  // namespace repebble::inline v0::detail

#endif
