#ifndef REPEBBLE_EXECUTE_COPY_THREADS_HPP
#define REPEBBLE_EXECUTE_COPY_THREADS_HPP

// Two threads that copy between the pools of a CPU backend, one out and one in, beside the caller's thread, which
// computes: queues in order and events, as a GPU has them. CPU backends and tests are made of it.
// Invariant: nothing but events orders the three threads while a round runs.

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <repebble/detail/joining_thread.hpp>
#include <repebble/detail/split_mix.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/pebbling/find_lane_times.hpp>
#include <repebble/pebbling/replay_clock.hpp>

namespace repebble::inline v0 {

/// Random pauses before copies and events, by which a missing wait is found: what is computed must not change.
struct copy_delays {
    std::uint64_t seed = 0;             ///< of the pauses
    std::chrono::microseconds most{0};  ///< 0: no pauses
};

/// The copies of a round are enqueued first; the first `wait` or `record` on lane::compute, which is the caller's
/// thread, starts them, and `finish` ends the round. Enqueuing allocates only where no earlier round had as many.
class copy_threads {
  public:
    /// Throws std::system_error where the system has no more threads.
    copy_threads() : copy_threads(none{}) {
        threads_.reserve(queues_.size());
        for (auto& q : queues_) threads_.emplace_back([this, &q] { work(q); });
    }
    copy_threads(copy_threads const&) = delete;
    auto operator=(copy_threads const&) -> copy_threads& = delete;
    ~copy_threads();

    /// Events 0 … count - 1, none of which has come.  Requires: no round runs.
    void reserve_events(std::size_t count);
    /// Pauses of the rounds from now on.  Requires: no round runs.
    void set_delays(copy_delays const& delays);

    /// The number of a copy that is not timed.
    static constexpr std::size_t untimed = static_cast<std::size_t>(-1);
    /// Copies on a lane, which is not that of computations. `number`: under which it is timed, below the count of
    /// events.
    void copy(lane on, std::byte* to, std::byte const* from, bytes size, std::size_t number = untimed) {
        enqueue(on, {.what = command::kind::copy, .to = to, .from = from, .size = size, .number = number});
    }
    /// When the last copy with a number began and ended: nanoseconds since the epoch of std::chrono::steady_clock; both
    /// are 0 where there was none.  Requires: no round runs.
    [[nodiscard]] auto span(std::size_t number) const -> step_span {
        REPEBBLE_ASSERT(!running_);
        return number < spans_.size() ? spans_[number] : step_span{};
    }
    /// Fills memory with a `fill_pattern`; on lane::compute at once.
    void fill(lane on, std::byte* at, bytes size, std::uint64_t seed) {
        command const c{.what = command::kind::fill, .to = at, .size = size, .number = seed};
        on == lane::compute ? run(c, computing_) : enqueue(on, c);
    }
    /// What the lane gets from now on begins after the event.
    void wait(lane on, std::size_t event) { wait_or_record(on, {.what = command::kind::wait, .number = event}); }
    /// The event comes when all that the lane has got so far has ended. Each at most once in a round.
    void record(lane on, std::size_t event) { wait_or_record(on, {.what = command::kind::record, .number = event}); }

    /// Ends the round: waits for all copies, and takes back all events.
    void finish();
    /// Ends the round without those copies that have not begun.
    void cancel();

  private:
    struct none {};
    explicit copy_threads(none) {}  // then a thread that cannot start ends the other one

    using event_flag = std::atomic<std::uint32_t>;  // 1 when it has come

    struct command {
        enum class kind : std::uint8_t { copy, fill, wait, record };
        kind what = kind::copy;
        std::byte* to = nullptr;
        std::byte const* from = nullptr;
        bytes size = 0;
        std::uint64_t number = 0;  // of an event or a copy, or a seed
    };
    struct queue {
        std::vector<command> commands{};  // changed while no round runs
        std::atomic<std::uint32_t> finished{0};
        detail::split_mix random{0};
    };

    void enqueue(lane on, command const& c) {
        REPEBBLE_ASSERT(on != lane::compute && !running_);
        queues_[on == lane::offload ? 0 : 1].commands.push_back(c);
    }
    void wait_or_record(lane on, command const& c);
    void start();
    void work(queue& q);
    void run(command const& c, detail::split_mix& random);
    void copy(command const& c);
    static void come(event_flag& e) {
        e.store(1, std::memory_order_release);
        e.notify_all();
    }
    void pause(detail::split_mix& random) const;

    std::array<queue, 2> queues_{};  // copies out, copies in
    std::vector<event_flag> events_{};
    std::vector<step_span> spans_{};  // of copies, each written by the thread that copies
    std::chrono::microseconds most_delay_{0};
    detail::split_mix computing_{0};
    std::uint32_t round_ = 0;
    std::atomic<std::uint32_t> started_{0};
    bool running_ = false;
    std::atomic<bool> cancelled_{false}, stopping_{false};
    std::vector<detail::joining_thread> threads_{};  // last: they use all above
};

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/execute/copy_threads.ipp>
#endif

#endif
