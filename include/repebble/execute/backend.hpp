#ifndef REPEBBLE_EXECUTE_BACKEND_HPP
#define REPEBBLE_EXECUTE_BACKEND_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>

#include <repebble/execute/bound_schedule.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/pebbling/clock.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble {

/// Where the two pools of a bound schedule begin. The addresses are the backend's: those of a device need not be
/// readable here.
struct pool_memory {
    std::byte* device = nullptr;
    std::byte* host = nullptr;

    [[nodiscard]] auto at(block const& b, pool where = pool::device) const noexcept -> std::byte* {
        return (where == pool::host ? host : device) + b.offset;
    }
};

/// Who runs the operations. Required:
///   allocate(pool, size, alignment)  memory, once for each pool: an object that frees it when it ends, with `data()`.
///                                    Throws std::bad_alloc, or what it likes, where there is none
///   compute(i, step, memory)         runs the operation of step i. Enough has been run before it, or waited for
/// Optional, by detection:
///   prepare(i, step, memory)         once for every step, before the first run: all that has to be allocated
///   copy(i, step, memory)            copies between the pools; required by schedules that offload
///   fill(at, size, seed)             fills memory with the bytes of `fill_pattern`; required for measuring
///   highest_change(at, size, seed)   where the last byte lies that is not as `fill` left it: its offset + 1, or 0
///   mark(k)                          a mark before the first step (k = 0) and after step k - 1
///   nanoseconds(k)                   from mark k to mark k + 1, asked for after `finish`; with `mark`, or else the
///                                    executor looks at a clock
///   finish()                         waits for all that still runs
/// None of compute, copy and mark should allocate.
template <class B>
concept execution_backend = requires(B& b, std::size_t i, bound_step const& s, pool_memory const& m, bytes n) {
    { b.allocate(pool::device, n, n).data() } -> std::convertible_to<std::byte*>;
    b.compute(i, s, m);
};

/// A backend that can tell how much of its memory was really written to.
template <class B>
concept measuring_backend = execution_backend<B> && requires(B& b, std::byte* at, bytes n, std::uint64_t seed) {
    b.fill(at, n, seed);
    { b.highest_change(at, n, seed) } -> std::convertible_to<bytes>;
};

}  // namespace repebble

#endif
