#ifndef REPEBBLE_CHAINS_BINOMIAL_BOUNDS_HPP
#define REPEBBLE_CHAINS_BINOMIAL_BOUNDS_HPP

// Closed forms of binomial checkpointing (A. Griewank, A. Walther, Algorithm 799: Revolve, 2000): the number of steps
// that s snapshots and r repetitions can reverse, the least number of advances, where to place the next snapshot.
// revolve.hpp steps by them; the tests compare plans with them. Results saturate at 2^64 - 1, named `unlimited`.

#include <algorithm>
#include <cstdint>
#include <limits>

namespace repebble::inline v0::binomial_bounds {

/// Stands for every number that does not fit in 64 bits.
inline constexpr auto unlimited = std::numeric_limits<std::uint64_t>::max();

namespace detail {

/// a b / c, rounded down, or `unlimited`.
[[nodiscard]] constexpr auto multiply_divide(std::uint64_t a, std::uint64_t b, std::uint64_t c) -> std::uint64_t {
    if (((a | b) >> 32U) == 0) return a * b / c;
    __extension__ using wide = unsigned __int128;
    auto const whole = static_cast<wide>(a) * b / c;
    return whole >= unlimited ? unlimited : static_cast<std::uint64_t>(whole);
}

}  // namespace detail

/// a + b, or `unlimited`.
[[nodiscard]] constexpr auto capped_sum(std::uint64_t a, std::uint64_t b) -> std::uint64_t {
    return a > unlimited - b ? unlimited : a + b;
}

/// β(s, r) = C(s + r, s): the most steps of a chain that s snapshots can reverse where each step is advanced over at
/// most r times; `unlimited` where that does not fit in 64 bits.  O(min(s, r)).
[[nodiscard]] constexpr auto most_steps(std::uint64_t snapshots, std::uint64_t repetitions) -> std::uint64_t {
    auto const less = std::min(snapshots, repetitions);
    auto const more = std::max(snapshots, repetitions);
    std::uint64_t value = 1;
    for (std::uint64_t i = 1; i <= less; ++i) {
        if (more > unlimited - i) return unlimited;
        value = detail::multiply_divide(value, more + i, i);
        if (value == unlimited) return unlimited;
    }
    return value;
}

/// The least r with β(s, r) >= steps.  O(min(s, r) log r).  Requires: s >= 1.
[[nodiscard]] constexpr auto repetitions(std::uint64_t steps, std::uint64_t snapshots) -> std::uint64_t {
    if (steps <= 1) return 0;
    std::uint64_t enough = 1;
    while (most_steps(snapshots, enough) < steps) enough *= 2;
    std::uint64_t low = enough / 2;  // too few
    while (enough - low > 1) {
        auto const middle = low + (enough - low) / 2;
        (most_steps(snapshots, middle) < steps ? low : enough) = middle;
    }
    return enough;
}

/// t(N, s) = r N - C(s + r, r - 1): the least number of advanced steps, beside the N forward runs that precede the
/// reversals; `unlimited` where that does not fit in 64 bits. Griewank, Walther 2000.  Requires: s >= 1.
[[nodiscard]] constexpr auto least_advances(std::uint64_t steps, std::uint64_t snapshots) -> std::uint64_t {
    auto const r = repetitions(steps, snapshots);
    if (r == 0) return 0;
    __extension__ using wide = unsigned __int128;
    auto const saved = most_steps(snapshots + 1, r - 1);
    if (saved == unlimited) return unlimited;
    auto const all = static_cast<wide>(r) * steps - saved;
    return all >= unlimited ? unlimited : static_cast<std::uint64_t>(all);
}

/// β(s, r - 1), given β(s, r).  Requires: β fits in 64 bits.
[[nodiscard]] constexpr auto with_fewer_repetitions(std::uint64_t most, std::uint64_t s, std::uint64_t r)
    -> std::uint64_t {
    if (r == 1) return 1;
    return detail::multiply_divide(most, r, s + r);
}
/// β(s - 1, r), given β(s, r).  Requires: β fits in 64 bits.
[[nodiscard]] constexpr auto with_fewer_snapshots(std::uint64_t most, std::uint64_t s, std::uint64_t r)
    -> std::uint64_t {
    if (r <= 1) return r == 0 ? 1 : s;
    return detail::multiply_divide(most, s, s + r);
}

/// The number of steps to advance before the next snapshot, so that the fewest steps run and few snapshots are taken
/// (Griewank, Walther 2000). `fewer` is β(s, r - 1).
/// Requires: s >= 2, r >= 1 and β(s, r - 1) < steps <= β(s, r).
[[nodiscard]] constexpr auto split(std::uint64_t steps, std::uint64_t s, std::uint64_t r, std::uint64_t fewer)
    -> std::uint64_t {
    if (r == 1) return 1;
    auto const right = with_fewer_snapshots(fewer, s, r - 1);       // β(s - 1, r - 1)
    auto const beyond = with_fewer_snapshots(right, s - 1, r - 1);  // β(s - 2, r - 1)
    if (steps <= fewer + beyond) return with_fewer_repetitions(fewer, s, r - 1);
    return std::min(steps - right - beyond, fewer);
}

}  // namespace repebble::inline v0::binomial_bounds

#endif
