#ifndef REPEBBLE_IMPL_EXECUTE_COPY_THREADS_IPP
#define REPEBBLE_IMPL_EXECUTE_COPY_THREADS_IPP

#include <repebble/execute/copy_threads.hpp>

#include <thread>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/execute/fill_pattern.hpp>

namespace repebble::inline v0 {

REPEBBLE_INLINE copy_threads::~copy_threads() {
    cancel();
    stopping_ = true;
    start();
}

REPEBBLE_INLINE void copy_threads::reserve_events(std::size_t count) {
    REPEBBLE_ASSERT(!running_);
    if (count > events_.size()) events_ = std::vector<event_flag>(count);
    spans_.assign(events_.size(), {});
}

REPEBBLE_INLINE void copy_threads::set_delays(copy_delays const& delays) {
    REPEBBLE_ASSERT(!running_);
    most_delay_ = delays.most;
    computing_ = detail::split_mix(delays.seed);
    for (auto& q : queues_) q.random = detail::split_mix(computing_.next());
}

REPEBBLE_INLINE void copy_threads::finish() {
    if (!running_ && queues_[0].commands.empty() && queues_[1].commands.empty()) return;
    if (!running_) start();
    for (auto& q : queues_) {
        for (auto done = q.finished.load(std::memory_order_acquire); done != round_;
             done = q.finished.load(std::memory_order_acquire))
            q.finished.wait(done, std::memory_order_acquire);
        q.commands.clear();
    }
    for (auto& e : events_) e.store(0, std::memory_order_relaxed);
    cancelled_ = false;
    running_ = false;
}

REPEBBLE_INLINE void copy_threads::cancel() {
    cancelled_ = true;
    if (running_)
        for (auto& e : events_) come(e);
    finish();
    cancelled_ = false;
}

REPEBBLE_INLINE void copy_threads::wait_or_record(lane on, command const& c) {
    REPEBBLE_ASSERT(c.number < events_.size());
    if (on != lane::compute) return enqueue(on, c);
    if (!running_) start();
    run(c, computing_);
}

REPEBBLE_INLINE void copy_threads::start() {
    running_ = true;
    started_.store(++round_, std::memory_order_release);
    started_.notify_all();
}

REPEBBLE_INLINE void copy_threads::work(queue& q) {
    for (std::uint32_t round = 0;;) {
        started_.wait(round, std::memory_order_acquire);
        round = started_.load(std::memory_order_acquire);
        if (stopping_) return;
        for (auto const& c : q.commands)
            if (!cancelled_) run(c, q.random);
        q.finished.store(round, std::memory_order_release);
        q.finished.notify_all();
    }
}

REPEBBLE_INLINE void copy_threads::run(command const& c, detail::split_mix& random) {
    switch (c.what) {
        case command::kind::copy:
            pause(random);
            copy(c);
            break;
        case command::kind::fill:
            fill_pattern{c.number}.fill(c.to, c.size);
            break;
        case command::kind::wait:
            events_[c.number].wait(0, std::memory_order_acquire);
            break;
        case command::kind::record:
            pause(random);
            come(events_[c.number]);
            break;
    }
}

REPEBBLE_INLINE void copy_threads::copy(command const& c) {
    auto const now = []() -> std::chrono::nanoseconds {
        return std::chrono::steady_clock::now().time_since_epoch();
    };
    auto const begin = now();
    std::memcpy(c.to, c.from, static_cast<std::size_t>(c.size));
    if (c.number < spans_.size()) spans_[c.number] = {begin.count(), now().count()};
}

REPEBBLE_INLINE void copy_threads::pause(detail::split_mix& random) const {
    if (most_delay_.count() == 0 || random.chance(0.5)) return;
    auto const most = static_cast<std::size_t>(most_delay_.count());
    std::this_thread::sleep_for(std::chrono::microseconds(random.below(most) + 1));
}

}  // namespace repebble::inline v0

#endif
