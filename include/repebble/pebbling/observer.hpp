#ifndef REPEBBLE_PEBBLING_OBSERVER_HPP
#define REPEBBLE_PEBBLING_OBSERVER_HPP

// Events of a replay, by detection: allocation, overwriting and release of storages, workspaces, and work on lanes.
// Lifetimes and statistics are collected through them.

#include <cstddef>
#include <cstdint>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/pebbling/replay_clock.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/pebbling/storage_pool.hpp>

namespace repebble::inline v0 {

/// Observes nothing. An observer may have any of
///   allocate(step, instance, pool, bytes)     a storage for this instance begins
///   overwrite(step, instance, instance)       the first takes over the storage that began with the second
///   release(step, instance, pool)             the storage that began with this instance ends
///   workspace(step, operation, repetition, bytes)   a workspace is live during this one step
///   run(step, lane, begin, end)               a computation or a copy runs on a lane from begin to end
/// `allocate` and `release` may take one argument more, the number of the storage in the device pool, unique among the
/// live storages; instances are not, for a value that was prefetched while a view keeps its old storage alive has two
/// storages that began with the same instance.
struct no_observer {};

namespace detail {

template <class Observer>
void notify_allocate(Observer& o, std::size_t step, instance i, pool where, bytes size,
                     storage_pool::id storage = storage_pool::none) {
    if constexpr (requires { o.allocate(step, i, where, size, storage); })
        o.allocate(step, i, where, size, storage);
    else if constexpr (requires { o.allocate(step, i, where, size); })
        o.allocate(step, i, where, size);
}
template <class Observer>
void notify_overwrite(Observer& o, std::size_t step, instance now, instance before) {
    if constexpr (requires { o.overwrite(step, now, before); }) o.overwrite(step, now, before);
}
template <class Observer>
void notify_release(Observer& o, std::size_t step, instance i, pool where,
                    storage_pool::id storage = storage_pool::none) {
    if constexpr (requires { o.release(step, i, where, storage); })
        o.release(step, i, where, storage);
    else if constexpr (requires { o.release(step, i, where); })
        o.release(step, i, where);
}
template <class Observer, class Time>
void notify_run(Observer& o, std::size_t step, lane where, Time begin, Time end) {
    if constexpr (requires { o.run(step, where, begin, end); }) o.run(step, where, begin, end);
}
template <class Observer>
void notify_workspace(Observer& o, std::size_t step, operation_index v, std::uint32_t repetition, bytes size) {
    if constexpr (requires { o.workspace(step, v, repetition, size); }) o.workspace(step, v, repetition, size);
}

}  // namespace detail

}  // namespace repebble::inline v0

#endif
