#ifndef REPEBBLE_TRAINING_RANDOM_ARRAYS_HPP
#define REPEBBLE_TRAINING_RANDOM_ARRAYS_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <repebble/networks/kind.hpp>
#include <repebble/networks/tensor.hpp>
#include <repebble/training/bfloat16.hpp>
#include <repebble/training/initial_values.hpp>
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
    /// What an input or a parameter holds, as it lies in memory: a variance is positive, a mask is a triangle, and
    /// integers are below `bound`, or without one below their number.
    [[nodiscard]] auto values_of(networks::parameter const& p, std::optional<std::int64_t> bound = std::nullopt)
        -> std::vector<std::byte> {
        auto const n = p.tensor.volume();
        if (p.tensor.type == networks::element::boolean)
            return detail::as_bytes(causal_triangle(p.tensor.shape.back()));
        if (p.tensor.type == networks::element::int64)
            return detail::as_bytes(indices(static_cast<std::size_t>(n), bound.value_or(n)));
        bool const positive = !p.trained && p.name.ends_with("running_var");
        return as_stored(floats(static_cast<std::size_t>(n), positive ? 0.5 : -1, positive ? 1.5 : 1), p.tensor.type);
    }

  private:
    [[nodiscard]] auto next() -> random_numbers { return random_numbers(seed_ + 1000 * ++streams_); }

    std::uint64_t seed_;
    std::uint64_t streams_ = 0;
};

}  // namespace repebble::training

#endif
