#ifndef REPEBBLE_DETAIL_SPLIT_MIX_HPP
#define REPEBBLE_DETAIL_SPLIT_MIX_HPP

// SplitMix64, a pseudo-random generator (Steele, Lea, Flood 2014). The same seed gives the same numbers on every
// platform, unlike the distributions of <random>; all randomised searches use it.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace repebble::inline v0::detail {

/// A SplitMix64 generator with the few distributions that the searches need.
class split_mix {
  public:
    constexpr explicit split_mix(std::uint64_t seed) : state_(seed) {}

    constexpr auto next() -> std::uint64_t {
        state_ += 0x9E3779B97F4A7C15U;
        auto x = state_;
        x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
        x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
        return x ^ (x >> 31U);
    }
    /// Uniform among 0 … bound - 1.  Requires: 0 < bound < 2³².
    constexpr auto below(std::size_t bound) -> std::size_t { return ((next() >> 32U) * bound) >> 32U; }
    /// Uniform in [0, 1), 53 random bits.
    constexpr auto fraction() -> double { return static_cast<double>(next() >> 11U) * 0x1p-53; }
    constexpr auto chance(double share) -> bool { return fraction() < share; }
    template <class T>
    constexpr void shuffle(std::vector<T>& items) {
        for (auto k = items.size(); k > 1; --k) std::swap(items[k - 1], items[below(k)]);
    }

  private:
    std::uint64_t state_;
};

}  // namespace repebble::inline v0::detail

#endif
