#ifndef REPEBBLE_CHAINS_BINOMIAL_BOUNDS_HPP
#define REPEBBLE_CHAINS_BINOMIAL_BOUNDS_HPP

// Closed forms of binomial checkpointing (A. Griewank, A. Walther, Algorithm 799: Revolve, 2000): the number of steps
// that s snapshots and r repetitions can reverse, the least number of advances. revolve.hpp steps by them; the tests
// compare plans with them.

#include <algorithm>
#include <cstdint>

#include <repebble/chains/detail/binomials.hpp>

namespace repebble::inline v0 {

/// The formulas. Results saturate at `unlimited`.
struct binomial_bounds {
    /// Stands for every number that does not fit in 64 bits.
    static constexpr auto unlimited = detail::saturated;

    /// β(s, r) = C(s + r, s): the most steps of a chain that s snapshots can reverse where each step is advanced over
    /// at most r times; `unlimited` where that does not fit in 64 bits.  O(min(s, r)).
    [[nodiscard]] static constexpr auto most_steps(std::uint64_t snapshots, std::uint64_t repetitions)
        -> std::uint64_t {
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
    [[nodiscard]] static constexpr auto repetitions(std::uint64_t steps, std::uint64_t snapshots) -> std::uint64_t {
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
    [[nodiscard]] static constexpr auto least_advances(std::uint64_t steps, std::uint64_t snapshots) -> std::uint64_t {
        auto const r = repetitions(steps, snapshots);
        if (r == 0) return 0;
        __extension__ using wide = unsigned __int128;
        auto const saved = most_steps(snapshots + 1, r - 1);
        if (saved == unlimited) return unlimited;
        auto const all = static_cast<wide>(r) * steps - saved;
        return all >= unlimited ? unlimited : static_cast<std::uint64_t>(all);
    }
};

}  // namespace repebble::inline v0

#endif
