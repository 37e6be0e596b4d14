#ifndef REPEBBLE_ONNX_DETAIL_ELEMENT_SIZE_HPP
#define REPEBBLE_ONNX_DETAIL_ELEMENT_SIZE_HPP

// Bytes and names of ONNX's element types.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <repebble/graph/quantity.hpp>
#include <repebble/onnx/onnx_model.hpp>

namespace repebble::inline v0::io::detail {

/// What an element type is called, how many bits an element has, and whether a gradient passes it.
struct element_traits {
    std::string_view name;
    std::int64_t bits;
    bool is_real = false;
};

/// By the numbers of `onnx_type`; null for one that is not known. A string counts as the std::string that holds it,
/// without the characters of a long one.
[[nodiscard]] inline auto traits_of(onnx_type type) -> element_traits const* {
    static constexpr std::array<element_traits, 29> all{{{"undefined", 0},
                                                         {"float32", 32, true},
                                                         {"uint8", 8},
                                                         {"int8", 8},
                                                         {"uint16", 16},
                                                         {"int16", 16},
                                                         {"int32", 32},
                                                         {"int64", 64},
                                                         {"string", 256},
                                                         {"bool", 8},
                                                         {"float16", 16, true},
                                                         {"float64", 64, true},
                                                         {"uint32", 32},
                                                         {"uint64", 64},
                                                         {"complex64", 64, true},
                                                         {"complex128", 128, true},
                                                         {"bfloat16", 16, true},
                                                         {"float8e4m3fn", 8, true},
                                                         {"float8e4m3fnuz", 8, true},
                                                         {"float8e5m2", 8, true},
                                                         {"float8e5m2fnuz", 8, true},
                                                         {"uint4", 4},
                                                         {"int4", 4},
                                                         {"float4e2m1", 4, true},
                                                         {"float8e8m0", 8, true},
                                                         {"uint2", 2},
                                                         {"int2", 2},
                                                         {"float6e2m3", 6, true},
                                                         {"float6e3m2", 6, true}}};
    auto const k = static_cast<std::size_t>(type);
    return k > 0 && k < all.size() ? &all[k] : nullptr;
}

/// Whether a gradient passes values of a type: numbers with a fraction.
[[nodiscard]] inline auto carries_gradient(onnx_type type) -> bool {
    auto const* const known = traits_of(type);
    return known != nullptr && known->is_real;
}

/// Number of elements.  Throws bad_weight where it does not fit in 64 bits.
[[nodiscard]] inline auto volume_of(std::span<std::int64_t const> shape) -> std::int64_t {
    std::int64_t product = 1;
    for (auto const n : shape) product = checked_multiply(product, n, "elements of a tensor");
    return product;
}

/// Bytes of a dense tensor, types of less than a byte packed.  Throws bad_weight where they do not fit in 64 bits.
/// Requires: the type is known.
[[nodiscard]] inline auto size_of(std::span<std::int64_t const> shape, onnx_type type) -> bytes {
    auto const bits = checked_multiply(volume_of(shape), traits_of(type)->bits, "bits of a tensor");
    return bits / 8 + (bits % 8 != 0 ? 1 : 0);
}

}  // namespace repebble::inline v0::io::detail

#endif
