#ifndef REPEBBLE_TRAINING_RANDOM_NUMBERS_HPP
#define REPEBBLE_TRAINING_RANDOM_NUMBERS_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <repebble/execute/fill_pattern.hpp>

namespace repebble::training {

/// Numbers that look random, the same everywhere: number i depends on the seed and on i only.
class random_numbers {
  public:
    explicit random_numbers(std::uint64_t seed) : words_{seed} {}

    /// From 0 to below 1.
    [[nodiscard]] auto uniform(std::uint64_t i) const -> double {
        return static_cast<double>(words_.word(i) >> 11U) * 0x1p-53;
    }
    /// Of mean 0 and deviation 1 (Box, Muller 1958).
    [[nodiscard]] auto normal(std::uint64_t i) const -> double {
        auto const radius = std::sqrt(-2 * std::log(1 - uniform(2 * i)));
        return radius * std::cos(2 * 3.14159265358979323846 * uniform(2 * i + 1));
    }
    /// Numbers 0 to n - 1 as integers from 0 to below `end`.  Requires: end >= 1.
    [[nodiscard]] auto indices(std::size_t n, std::int64_t end) const -> std::vector<std::int64_t> {
        std::vector<std::int64_t> all(n);
        for (std::size_t i = 0; i < n; ++i) all[i] = static_cast<std::int64_t>(uniform(i) * static_cast<double>(end));
        return all;
    }

  private:
    fill_pattern words_;
};

}  // namespace repebble::training

#endif
