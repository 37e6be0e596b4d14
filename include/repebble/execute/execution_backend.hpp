#ifndef REPEBBLE_EXECUTE_EXECUTION_BACKEND_HPP
#define REPEBBLE_EXECUTE_EXECUTION_BACKEND_HPP

// The interface between a schedule and the machine: required and optional members of a backend, by concepts and
// detection, and the check that rejects misspelled members. CPU and GPU backends implement it.

#include <concepts>
#include <cstddef>
#include <cstdint>

#include <repebble/execute/bound_schedule.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/pebbling/find_lane_times.hpp>
#include <repebble/pebbling/replay_clock.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble::inline v0 {

/// Base addresses of the two pools of a bound schedule. The addresses are the backend's: device addresses need not be
/// readable on the host.
struct pool_memory {
    std::byte* device = nullptr;  ///< begin of the device pool
    std::byte* host = nullptr;    ///< begin of the host pool

    /// The address of a block.
    [[nodiscard]] auto at(block const& b, pool where = pool::device) const noexcept -> std::byte* {
        return (where == pool::host ? host : device) + b.offset;
    }
};

/// A backend runs the operations. Required:
///   allocate(pool, size, alignment)  memory, once for each pool: an object with `data()` that frees it when it ends.
///                                    Throws std::bad_alloc, or an exception of its own, where memory is short
///   compute(i, step, memory)         runs the operation of step i; all steps before it have run or are enqueued before
///                                    it. Of an input: places its values at the blocks that the step writes. Their
///                                    memory is used for other values after their last use, so each run does it again
/// Optional, by detection; the executor does not compile with a backend whose member has another signature:
///   prepare(i, step, memory)         once for every step, before the first run: allocations are made here
///   copy(i, step, memory)            copies between the pools; required by schedules that offload, unless the backend
///                                    has lanes
///   fill(at, size, seed)             fills memory with the bytes of `fill_pattern`; required for measuring
///   highest_change(at, size, seed)   end of the last byte that differs from `fill`: its offset + 1, or 0; with `fill`
///   mark(k)                          a mark before the first step (k = 0) and after step k - 1
///   nanoseconds(k)                   time from mark k to mark k + 1, after `finish`; with `mark`, else the executor
///                                    uses a clock of the host
///   finish()                         waits for all enqueued work
/// None of compute, copy and mark should allocate. A `lane_backend` copies beside computations.
template <class B>
concept execution_backend = requires(B& b, std::size_t i, bound_step const& s, pool_memory const& m, bytes n) {
    { b.allocate(pool::device, n, n).data() } -> std::convertible_to<std::byte*>;
    b.compute(i, s, m);
};

/// A backend that can measure which bytes of its memory were written.
template <class B>
concept measuring_backend = execution_backend<B> && requires(B& b, std::byte* at, bytes n, std::uint64_t seed) {
    b.fill(at, n, seed);
    { b.highest_change(at, n, seed) } -> std::convertible_to<bytes>;
};

/// A backend with lanes (streams): copies run beside computations, each lane in order. All but `copy_on` are asked of
/// lane::compute, too.
///   reserve_events(count)            once, before the first run: events 0 … count - 1 come in each run
///   copy_on(lane, i, step, memory)   enqueues the copy of step i
///   fill_on(lane, at, size, seed)    as `fill`
///   record(lane, i)                  event i comes when all that the lane has got so far has ended
///   wait(lane, i)                    what the lane gets from now on begins after event i
/// Optional:
///   copy_span(i)                     when the copy of step i began and ended, after `finish`: {0, 0} where it did not
///                                    run, else nanoseconds since mark 0, or without marks since the epoch of
///                                    std::chrono::steady_clock
///   cancel()                         ends a run in which `compute` has thrown: nothing is copied when it returns
///   copies_first                     a constant, true: all of a run's copies are enqueued before its computations, and
///                                    so `wait` comes before `record`. Where `compute` itself takes the time
template <class B>
concept lane_backend =
    execution_backend<B> && requires(B& b, lane on, std::size_t i, bound_step const& s, pool_memory const& m,
                                     std::byte* at, bytes n, std::uint64_t seed) {
        b.reserve_events(i);
        b.copy_on(on, i, s, m);
        b.fill_on(on, at, n, seed);
        b.record(on, i);
        b.wait(on, i);
    };

namespace detail {

template <class B>
concept preparing_backend =
    requires(B& b, std::size_t i, bound_step const& s, pool_memory const& m) { b.prepare(i, s, m); };
template <class B>
concept copying_backend = requires(B& b, std::size_t i, bound_step const& s, pool_memory const& m) { b.copy(i, s, m); };
template <class B>
concept marking_backend = requires(B& b, std::size_t k) {
    b.mark(k);
    { b.nanoseconds(k) } -> std::convertible_to<std::int64_t>;
};
template <class B>
concept copy_timing_backend = lane_backend<B> && requires(B& b, std::size_t i) {
    { b.copy_span(i) } -> std::convertible_to<step_span>;
};
template <class B>
concept finishing_backend = requires(B& b) { b.finish(); };

/// Whether the copies of a run are enqueued before its computations.
template <class B>
inline constexpr bool enqueues_copies_first = false;
template <lane_backend B>
    requires requires { requires B::copies_first; }
inline constexpr bool enqueues_copies_first<B> = true;

/// Rejects optional members that detection would silently ignore: their name matches, their signature does not.
/// Overloaded members, templates and constrained members are not checked.
template <execution_backend B>
[[nodiscard]] constexpr auto optional_members_fit() -> bool {
    constexpr bool prepares = requires { &B::prepare; };
    constexpr bool copies = requires { &B::copy; };
    constexpr bool fills = requires { &B::fill; };
    constexpr bool compares = requires { &B::highest_change; };
    constexpr bool marks = requires { &B::mark; };
    constexpr bool counts = requires { &B::nanoseconds; };
    constexpr bool finishes = requires { &B::finish; };
    constexpr bool enqueues = requires { &B::copy_on; };
    constexpr bool times_copies = requires { &B::copy_span; };
    static_assert(preparing_backend<B> || !prepares, "prepare must be callable as prepare(i, step, memory)");
    static_assert(copying_backend<B> || !copies, "copy must be callable as copy(i, step, memory)");
    static_assert(measuring_backend<B> || !(fills || compares),
                  "there must be both fill(at, size, seed) and highest_change(at, size, seed) -> bytes, or neither");
    static_assert(marking_backend<B> || !(marks || counts),
                  "there must be both mark(k) and nanoseconds(k) -> std::int64_t, or neither");
    static_assert(finishing_backend<B> || !finishes, "finish must be callable as finish()");
    static_assert(lane_backend<B> || !enqueues,
                  "there must be reserve_events(count), copy_on(lane, i, step, memory), fill_on(lane, at, size, seed), "
                  "record(lane, i) and wait(lane, i), or no copy_on");
    static_assert(copy_timing_backend<B> || !times_copies,
                  "copy_span must be callable as copy_span(i) -> step_span, beside copy_on");
    return true;
}

}  // namespace detail

}  // namespace repebble::inline v0

#endif
