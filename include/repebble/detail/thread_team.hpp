#ifndef REPEBBLE_DETAIL_THREAD_TEAM_HPP
#define REPEBBLE_DETAIL_THREAD_TEAM_HPP

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace repebble::inline v0::detail {

/// Threads that wait for short pieces of work, one after another. `parallel_tasks` is for few long tasks.
class thread_team {
  public:
    static constexpr std::size_t most = 64;

    /// So many with the caller and at most `most`, or fewer where the system has no more.
    explicit thread_team(std::size_t threads) {
        try {
            for (std::size_t worker = 1; worker < std::min(threads, most); ++worker)
                others_.emplace_back([this, worker] { wait_and_serve(worker); });
        } catch (std::system_error const&) {  // these must do
        } catch (...) {
            end();
            throw;
        }
    }
    thread_team(thread_team const&) = delete;
    auto operator=(thread_team const&) -> thread_team& = delete;
    ~thread_team() { end(); }

    /// With the caller.
    [[nodiscard]] auto size() const noexcept -> std::size_t { return others_.size() + 1; }

    /// Calls work(k, worker) for k from 0 to count - 1, in any order, side by side; the caller is worker 0. Where one
    /// throws, nothing more is begun, and the exception of the least such k reaches the caller.
    template <class Work>
    void for_each(std::size_t count, Work const& work) {
        if (others_.empty() || count < 2) {
            for (std::size_t k = 0; k < count; ++k) work(k, std::size_t{0});
            return;
        }
        call_ = [](void const* w, std::size_t k, std::size_t worker) { (*static_cast<Work const*>(w))(k, worker); };
        work_ = &work;
        count_ = count;
        next_ = 0;
        failure_ = nullptr;
        running_ = others_.size();
        begin();
        serve(0);
        for (auto left = running_.load(); left > 0; left = running_.load()) running_.wait(left);
        if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    }

  private:
    void begin() {
        ++pieces_;
        pieces_.notify_all();
    }
    void end() {
        over_ = true;
        begin();
    }
    void wait_and_serve(std::size_t worker) {
        for (std::uint32_t seen = 0;;) {
            pieces_.wait(seen);
            ++seen;
            if (over_) return;
            serve(worker);
            if (--running_ == 0) running_.notify_one();
        }
    }
    void serve(std::size_t worker) {
        for (auto k = next_++; k < count_; k = next_++) {
            try {
                call_(work_, k, worker);
            } catch (...) {
                std::scoped_lock const lock(mutex_);
                next_ = count_;
                if (failure_ && failed_ <= k) continue;
                failed_ = k;
                failure_ = std::current_exception();
            }
        }
    }

    void (*call_)(void const*, std::size_t, std::size_t) = nullptr;
    void const* work_ = nullptr;
    std::size_t count_ = 0;
    std::atomic<std::size_t> next_{0}, running_{0};
    std::atomic<std::uint32_t> pieces_{0};
    std::atomic<bool> over_{false};
    std::mutex mutex_;
    std::size_t failed_ = 0;
    std::exception_ptr failure_;
    std::vector<std::jthread> others_;  // last: they end before the rest does
};

}  // namespace repebble::inline v0::detail

#endif
