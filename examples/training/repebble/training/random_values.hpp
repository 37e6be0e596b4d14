#ifndef REPEBBLE_TRAINING_RANDOM_VALUES_HPP
#define REPEBBLE_TRAINING_RANDOM_VALUES_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <repebble/execute/fill_pattern.hpp>

namespace repebble::training {

/// Values that look random, for checks of devices: the same again for the same seed.
class random_values {
  public:
    explicit random_values(std::uint64_t seed) : seed_(seed) {}

    /// None is within 0.01 of 0, where some functions have no derivative.
    [[nodiscard]] auto floats(std::size_t n, double lowest, double highest) -> std::vector<float> {
        auto const random = next();
        std::vector<float> all(n);
        for (std::size_t i = 0; i < n; ++i) {
            auto const part = static_cast<double>(random.word(i) >> 40U) / static_cast<double>(1U << 24U);
            auto const value = lowest + (highest - lowest) * part;
            all[i] = static_cast<float>(value + (value < 0 ? -0.01 : 0.01));
        }
        return all;
    }
    /// From 0 to below `end`.  Requires: end >= 1.
    [[nodiscard]] auto indices(std::size_t n, std::int64_t end) -> std::vector<std::int64_t> {
        auto const random = next();
        std::vector<std::int64_t> all(n);
        for (std::size_t i = 0; i < n; ++i)
            all[i] = static_cast<std::int64_t>(random.word(i) % static_cast<std::uint64_t>(end));
        return all;
    }

  private:
    [[nodiscard]] auto next() -> fill_pattern { return fill_pattern{seed_ + 1000 * ++streams_}; }

    std::uint64_t seed_;
    std::uint64_t streams_ = 0;
};

}  // namespace repebble::training

#endif
