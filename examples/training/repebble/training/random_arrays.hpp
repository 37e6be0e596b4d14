#ifndef REPEBBLE_TRAINING_RANDOM_ARRAYS_HPP
#define REPEBBLE_TRAINING_RANDOM_ARRAYS_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <repebble/training/random_numbers.hpp>

namespace repebble::training {

/// Arrays for checks of devices, another one at each call: the same again, in the same order, for the same seed.
class random_arrays {
  public:
    explicit random_arrays(std::uint64_t seed) : seed_(seed) {}

    /// None is within 0.01 of 0, where some functions have no derivative.
    [[nodiscard]] auto floats(std::size_t n, double lowest, double highest) -> std::vector<float> {
        auto const random = next();
        std::vector<float> all(n);
        for (std::size_t i = 0; i < n; ++i) {
            auto const value = lowest + (highest - lowest) * random.uniform(i);
            all[i] = static_cast<float>(value + (value < 0 ? -0.01 : 0.01));
        }
        return all;
    }
    /// From 0 to below `end`.  Requires: end >= 1.
    [[nodiscard]] auto indices(std::size_t n, std::int64_t end) -> std::vector<std::int64_t> {
        return next().indices(n, end);
    }

  private:
    [[nodiscard]] auto next() -> random_numbers { return random_numbers(seed_ + 1000 * ++streams_); }

    std::uint64_t seed_;
    std::uint64_t streams_ = 0;
};

}  // namespace repebble::training

#endif
