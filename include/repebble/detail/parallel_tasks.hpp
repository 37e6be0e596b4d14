#ifndef REPEBBLE_DETAIL_PARALLEL_TASKS_HPP
#define REPEBBLE_DETAIL_PARALLEL_TASKS_HPP

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace repebble::inline v0::detail {

/// Calls work(task, worker) for the tasks 0 … tasks - 1, each begun in that order, on up to as many threads, or on
/// fewer where the system has no more. The caller is worker 0; while others finish it calls `meanwhile()` every few
/// milliseconds. Where one throws, `stop` is set, so that others may end, nothing more is begun, and the exception of
/// the first such task reaches the caller when all have ended.
template <class Work, class Meanwhile>
void parallel_tasks(std::size_t tasks, std::size_t threads, std::atomic<bool>& stop, Work&& work,
                    Meanwhile&& meanwhile) {
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    std::condition_variable ended;
    std::size_t running = 0, failed = tasks;
    std::exception_ptr failure;
    auto const fail = [&](std::size_t task) {
        std::scoped_lock const lock(mutex);
        stop = true;
        next = tasks;
        if (failure && failed <= task) return;
        failed = task;
        failure = std::current_exception();
    };
    auto const serve = [&](std::size_t worker) {
        for (auto task = next++; task < tasks; task = next++) {
            try {
                work(task, worker);
            } catch (...) {
                fail(task);
                return;
            }
        }
    };
    std::vector<std::jthread> others;
    auto const wanted = std::min(threads, tasks);
    for (std::size_t worker = 1; worker < wanted; ++worker) {
        try {
            std::scoped_lock const lock(mutex);
            others.emplace_back([&, worker] {
                serve(worker);
                std::scoped_lock const leaving(mutex);
                --running;
                ended.notify_one();
            });
            ++running;
        } catch (std::system_error const&) {
            break;
        }
    }
    serve(0);
    std::unique_lock lock(mutex);
    while (running > 0) {
        ended.wait_for(lock, std::chrono::milliseconds(5));
        if (failure) continue;
        lock.unlock();
        try {
            meanwhile();
        } catch (...) {
            fail(tasks - 1);
        }
        lock.lock();
    }
    lock.unlock();
    others.clear();  // joins
    if (failure) std::rethrow_exception(failure);
}

}  // namespace repebble::inline v0::detail

#endif
