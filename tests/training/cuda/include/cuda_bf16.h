#ifndef REPEBBLE_TESTS_CUDA_BF16_H
#define REPEBBLE_TESTS_CUDA_BF16_H

#include <bit>
#include <cstdint>

/// A float without its lower half.
struct __nv_bfloat16 {
    std::uint16_t bits;
};

[[nodiscard]] inline auto __bfloat162float(__nv_bfloat16 x) -> float {
    return std::bit_cast<float>(static_cast<std::uint32_t>(x.bits) << 16U);
}
/// To the nearest, of two as near the even one; what is no number stays none.
[[nodiscard]] inline auto __float2bfloat16(float x) -> __nv_bfloat16 {
    auto const bits = std::bit_cast<std::uint32_t>(x);
    if (x != x) return {0x7FFF};
    return {static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16U) & 1U)) >> 16U)};
}

#endif
