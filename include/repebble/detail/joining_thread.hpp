#ifndef REPEBBLE_DETAIL_JOINING_THREAD_HPP
#define REPEBBLE_DETAIL_JOINING_THREAD_HPP

// A thread that is joined where its life ends, and a flag that asks work to stop: std::jthread and std::stop_token as
// far as the thread tools of this folder need them, for libc++ has neither before its version 20.

#include <atomic>
#include <optional>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>

#include <repebble/detail/raise.hpp>

namespace repebble::inline v0::detail {

class joining_thread {
  public:
    template <class Body>
        requires(!std::is_same_v<std::remove_cvref_t<Body>, joining_thread>)
    explicit joining_thread(Body&& body) : thread_(std::forward<Body>(body)) {}
    joining_thread(joining_thread&&) noexcept = default;
    auto operator=(joining_thread&&) -> joining_thread& = delete;
    ~joining_thread() {
        if (thread_.joinable()) thread_.join();
    }

    /// A thread that runs body(), or nothing where the system has no more threads.
    template <class Body>
    [[nodiscard]] static auto start(Body&& body) -> std::optional<joining_thread> {
        return catching<std::system_error>(
            [&] { return std::optional<joining_thread>(std::in_place, std::forward<Body>(body)); },
            [](auto const&) { return std::optional<joining_thread>(); });
    }

  private:
    std::thread thread_;
};

/// May be read and set by several threads at once.
class stop_flag {
  public:
    void request_stop() noexcept { requested_ = true; }
    [[nodiscard]] auto stop_requested() const noexcept -> bool { return requested_; }

  private:
    std::atomic<bool> requested_{false};
};

}  // namespace repebble::inline v0::detail

#endif
