#ifndef REPEBBLE_CHAINS_DETAIL_BINOMIALS_HPP
#define REPEBBLE_CHAINS_DETAIL_BINOMIALS_HPP

// Steps from one binomial β(s, r) = C(s + r, s) to its neighbours, and where REVOLVE places its next snapshot by them
// (A. Griewank, A. Walther, Algorithm 799: Revolve, 2000). Numbers saturate at 2^64 - 1. Used by binomial_bounds.hpp
// and revolve.hpp.

#include <algorithm>
#include <cstdint>
#include <limits>

namespace repebble::inline v0::detail {

/// Stands for every number that does not fit in 64 bits.
inline constexpr auto saturated = std::numeric_limits<std::uint64_t>::max();

/// a b / c, rounded down, or `saturated`.
[[nodiscard]] constexpr auto multiply_divide(std::uint64_t a, std::uint64_t b, std::uint64_t c) -> std::uint64_t {
    if (((a | b) >> 32U) == 0) return a * b / c;
    __extension__ using wide = unsigned __int128;
    auto const whole = static_cast<wide>(a) * b / c;
    return whole >= saturated ? saturated : static_cast<std::uint64_t>(whole);
}

/// a + b, or `saturated`.
[[nodiscard]] constexpr auto capped_sum(std::uint64_t a, std::uint64_t b) -> std::uint64_t {
    return a > saturated - b ? saturated : a + b;
}

/// β(s, r - 1), given β(s, r).  Requires: β fits in 64 bits.
[[nodiscard]] constexpr auto with_fewer_repetitions(std::uint64_t most, std::uint64_t s, std::uint64_t r)
    -> std::uint64_t {
    if (r == 1) return 1;
    return multiply_divide(most, r, s + r);
}
/// β(s - 1, r), given β(s, r).  Requires: β fits in 64 bits.
[[nodiscard]] constexpr auto with_fewer_snapshots(std::uint64_t most, std::uint64_t s, std::uint64_t r)
    -> std::uint64_t {
    if (r <= 1) return r == 0 ? 1 : s;
    return multiply_divide(most, s, s + r);
}

/// The number of steps to advance before the next snapshot, so that the fewest steps run and few snapshots are taken
/// (Griewank, Walther 2000). `fewer` is β(s, r - 1).
/// Requires: s >= 2, r >= 1 and β(s, r - 1) < steps <= β(s, r).
[[nodiscard]] constexpr auto next_snapshot(std::uint64_t steps, std::uint64_t s, std::uint64_t r, std::uint64_t fewer)
    -> std::uint64_t {
    if (r == 1) return 1;
    auto const right = with_fewer_snapshots(fewer, s, r - 1);       // β(s - 1, r - 1)
    auto const beyond = with_fewer_snapshots(right, s - 1, r - 1);  // β(s - 2, r - 1)
    if (steps <= fewer + beyond) return with_fewer_repetitions(fewer, s, r - 1);
    return std::min(steps - right - beyond, fewer);
}

}  // namespace repebble::inline v0::detail

#endif
