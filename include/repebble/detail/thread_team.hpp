#ifndef REPEBBLE_DETAIL_THREAD_TEAM_HPP
#define REPEBBLE_DETAIL_THREAD_TEAM_HPP

// A team of threads that wait for short parallel loops, one loop after another: starting threads for each would cost
// more than the loop. Dynamic programs that are evaluated level by level use it; for few long tasks see
// parallel_tasks.hpp. Invariant: between two loops all workers wait; the destructor joins them.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include <repebble/detail/joining_thread.hpp>
#include <repebble/detail/raise.hpp>

namespace repebble::inline v0::detail {

/// Runs parallel loops on a fixed team of threads, the caller among them.
class thread_team {
  public:
    static constexpr std::size_t most = 64;

    /// A team of `threads` with the caller, at most `most`, or fewer where the system has no more.
    explicit thread_team(std::size_t threads) {
        auto const wanted = std::min(threads, most);
        if (wanted < 2) return;
        others_.reserve(wanted - 1);
        for (std::size_t worker = 1; worker < wanted; ++worker) {
            auto other = joining_thread::start([this, worker] { wait_and_serve(worker); });
            if (!other) return;  // these must do
            others_.push_back(*std::move(other));
        }
    }
    thread_team(thread_team const&) = delete;
    auto operator=(thread_team const&) -> thread_team& = delete;
    ~thread_team() { end(); }

    /// Number of threads, the caller included.
    [[nodiscard]] auto size() const noexcept -> std::size_t { return others_.size() + 1; }

    /// Calls work(k, worker) for k from 0 to count - 1, in any order, in parallel; the caller is worker 0. When a call
    /// throws, no further one begins, and the exception of the least such k reaches the caller.
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
        running_ = others_.size();
        begin();
        serve(0);
        for (auto left = running_.load(); left > 0; left = running_.load()) running_.wait(left);
        first_.rethrow();
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
            failure caught;
            if (caught.run([&] { call_(work_, k, worker); })) continue;
            std::scoped_lock const lock(mutex_);
            next_ = count_;
            if (first_ && failed_ <= k) continue;
            failed_ = k;
            first_ = std::move(caught);
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
    failure first_;
    std::vector<joining_thread> others_;  // last: they end before the rest does
};

}  // namespace repebble::inline v0::detail

#endif
