#ifndef REPEBBLE_EXECUTE_BACKEND_HPP
#define REPEBBLE_EXECUTE_BACKEND_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>

#include <repebble/execute/bound_schedule.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/pebbling/clock.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble::inline v0 {

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
/// Optional, by detection; the executor refuses to compile with one that cannot be called so:
///   prepare(i, step, memory)         once for every step, before the first run: all that has to be allocated
///   copy(i, step, memory)            copies between the pools; required by schedules that offload
///   fill(at, size, seed)             fills memory with the bytes of `fill_pattern`; required for measuring
///   highest_change(at, size, seed)   where the last byte lies that is not as `fill` left it: its offset + 1, or 0;
///                                    with `fill`
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
concept finishing_backend = requires(B& b) { b.finish(); };

/// Refuses optional members that detection would pass over in silence: they have the name, and not the form. Overloaded
/// ones and templates are not looked at, nor are those whose own constraints rule them out.
template <execution_backend B>
[[nodiscard]] constexpr auto optional_members_fit() -> bool {
    constexpr bool prepares = requires { &B::prepare; };
    constexpr bool copies = requires { &B::copy; };
    constexpr bool fills = requires { &B::fill; };
    constexpr bool compares = requires { &B::highest_change; };
    constexpr bool marks = requires { &B::mark; };
    constexpr bool counts = requires { &B::nanoseconds; };
    constexpr bool finishes = requires { &B::finish; };
    static_assert(preparing_backend<B> || !prepares, "prepare must be callable as prepare(i, step, memory)");
    static_assert(copying_backend<B> || !copies, "copy must be callable as copy(i, step, memory)");
    static_assert(measuring_backend<B> || !(fills || compares),
                  "there must be both fill(at, size, seed) and highest_change(at, size, seed) -> bytes, or neither");
    static_assert(marking_backend<B> || !(marks || counts),
                  "there must be both mark(k) and nanoseconds(k) -> std::int64_t, or neither");
    static_assert(finishing_backend<B> || !finishes, "finish must be callable as finish()");
    return true;
}

}  // namespace detail

}  // namespace repebble::inline v0

#endif
