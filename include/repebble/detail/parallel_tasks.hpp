#ifndef REPEBBLE_DETAIL_PARALLEL_TASKS_HPP
#define REPEBBLE_DETAIL_PARALLEL_TASKS_HPP

// A fork-join loop over few long tasks, with exceptions carried to the caller. Parallel walks and segment searches use
// it; for many short pieces of work see thread_team.hpp. Invariant: all threads have ended when the function returns.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

#include <repebble/detail/joining_thread.hpp>
#include <repebble/detail/raise.hpp>

namespace repebble::inline v0::detail {

/// Calls work(task, worker) for the tasks 0 … tasks - 1, begun in that order, on at most `threads` threads, on fewer
/// where the system has no more. The caller is worker 0; when it has no more tasks it calls `meanwhile()` every few
/// milliseconds until the others finish. When a task throws, `stop` is set, so that the others may end early, no
/// further task begins, and the exception of the task with the least number reaches the caller when all have ended.
template <class Work, class Meanwhile>
void parallel_tasks(std::size_t tasks, std::size_t threads, std::atomic<bool>& stop, Work&& work,
                    Meanwhile&& meanwhile) {
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    std::condition_variable ended;
    std::size_t running = 0, failed = tasks;
    failure first;  // of the tasks that fail
    auto const fail = [&](std::size_t task, failure caught) {
        std::scoped_lock const lock(mutex);
        stop = true;
        next = tasks;
        if (first && failed <= task) return;
        failed = task;
        first = std::move(caught);
    };
    auto const serve = [&](std::size_t worker) {
        for (auto task = next++; task < tasks; task = next++)
            if (failure caught; !caught.run([&] { work(task, worker); })) return fail(task, std::move(caught));
    };
    std::vector<joining_thread> others;
    auto const wanted = std::min(threads, tasks);
    for (std::size_t worker = 1; worker < wanted; ++worker) {
        std::scoped_lock const lock(mutex);
        auto other = joining_thread::start([&, worker] {
            serve(worker);
            std::scoped_lock const leaving(mutex);
            --running;
            ended.notify_one();
        });
        if (!other) break;
        others.push_back(*std::move(other));
        ++running;
    }
    serve(0);
    std::unique_lock lock(mutex);
    while (running > 0) {
        ended.wait_for(lock, std::chrono::milliseconds(5));
        if (first) continue;
        lock.unlock();
        if (failure caught; !caught.run(meanwhile)) fail(tasks - 1, std::move(caught));
        lock.lock();
    }
    lock.unlock();
    others.clear();  // joins
    first.rethrow();
}

}  // namespace repebble::inline v0::detail

#endif
