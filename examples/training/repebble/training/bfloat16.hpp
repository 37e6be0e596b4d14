#ifndef REPEBBLE_TRAINING_BFLOAT16_HPP
#define REPEBBLE_TRAINING_BFLOAT16_HPP

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include <repebble/networks/tensor.hpp>

namespace repebble::training {

/// The bits of the nearest bfloat16, the even one of two: it is the upper half of a float.
[[nodiscard]] inline auto to_bfloat16(float x) -> std::uint16_t {
    if (std::isnan(x)) x = std::numeric_limits<float>::quiet_NaN();
    auto const bits = std::bit_cast<std::uint32_t>(x);
    auto const rounding = std::isnan(x) ? 0U : 0x7FFFU + ((bits >> 16U) & 1U);
    return static_cast<std::uint16_t>((bits + rounding) >> 16U);
}
[[nodiscard]] inline auto from_bfloat16(std::uint16_t bits) -> float {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}

/// Numbers as a tensor of that type has them in memory.  Requires: is_floating(type).
[[nodiscard]] inline auto as_stored(std::span<float const> values, networks::element type) -> std::vector<std::byte> {
    auto const size = static_cast<std::size_t>(networks::size_of(type));
    std::vector<std::byte> raw(values.size() * size);
    for (std::size_t i = 0; i < values.size(); ++i) {
        auto const half = to_bfloat16(values[i]);
        void const* const from = type == networks::element::bfloat16 ? static_cast<void const*>(&half) : &values[i];
        std::memcpy(raw.data() + i * size, from, size);
    }
    return raw;
}
/// And back, as many as `values` has.
inline void from_stored(std::byte const* raw, networks::element type, std::span<float> values) {
    auto const size = static_cast<std::size_t>(networks::size_of(type));
    for (std::size_t i = 0; i < values.size(); ++i) {
        std::uint16_t half = 0;
        bool const short_one = type == networks::element::bfloat16;
        std::memcpy(short_one ? static_cast<void*>(&half) : &values[i], raw + i * size, size);
        if (short_one) values[i] = from_bfloat16(half);
    }
}

}  // namespace repebble::training

#endif
