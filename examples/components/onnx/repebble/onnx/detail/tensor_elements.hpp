#ifndef REPEBBLE_ONNX_DETAIL_TENSOR_ELEMENTS_HPP
#define REPEBBLE_ONNX_DETAIL_TENSOR_ELEMENTS_HPP

// The elements of a tensor of an ONNX file, in the forms that a file may have them: little-endian bytes, or lists of
// numbers (of 16 bits each for half precision). onnx_parser.hpp collects them.

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <repebble/onnx/onnx_model.hpp>

namespace repebble::inline v0::io::detail {

/// A number of 16 bits with so many of them for the exponent (5: half precision; 8: bfloat16).
[[nodiscard]] inline auto real_of_16_bits(std::uint64_t bits, int exponent_bits) -> double {
    int const fraction_bits = 15 - exponent_bits, bias = (1 << (exponent_bits - 1)) - 1;
    int const exponent = static_cast<int>(bits >> fraction_bits) & ((1 << exponent_bits) - 1);
    double const fraction = std::ldexp(static_cast<double>(bits & ((1U << fraction_bits) - 1)), -fraction_bits);
    double const sign = (bits & 0x8000U) != 0 ? -1.0 : 1.0;
    if (exponent == (1 << exponent_bits) - 1)
        return fraction > 0 ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
    return sign * (exponent == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1 + fraction, exponent - bias));
}

/// What a file says of a tensor's elements.
struct tensor_elements {
    static constexpr std::size_t most = 4096;             ///< contents of more elements decide about no shape
    static constexpr std::size_t most_bytes = 10 * most;  ///< that so many can take in a file
    std::vector<std::int64_t> integers{};
    std::vector<double> reals{};
    std::string raw{};
    bool elsewhere = false;  ///< in another file, or left out

    /// Moves them to a tensor of which type and shape are known; not where they are too many, are elsewhere, are not as
    /// many as the shape says, or of a type that no shape depends on.
    void move_to(onnx_tensor& t) && {
        std::size_t count = 1;
        for (auto const n : t.shape) {
            if (n > static_cast<std::int64_t>(most)) return;
            count *= static_cast<std::size_t>(n);
            if (count > most) return;
        }
        if (elsewhere) return;
        if (auto const* const stored = integer_stored(t.type)) {
            auto const unused = 64 - 8 * static_cast<int>(stored->width);
            for_each_raw(count, stored->width, [&](std::uint64_t bits) {
                integers.push_back(stored->is_signed ? static_cast<std::int64_t>(bits << unused) >> unused
                                                     : static_cast<std::int64_t>(bits));
            });
            if (integers.size() == count) t.integers = std::move(integers);
            return;
        }
        auto const add_16_bits = [&](std::uint64_t bits) {
            reals.push_back(real_of_16_bits(bits & 0xffff, t.type == onnx_type::float16 ? 5 : 8));
        };
        if (t.type == onnx_type::float32) {
            for_each_raw(count, 4, [&](std::uint64_t bits) {
                reals.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
            });
        } else if (t.type == onnx_type::float64) {
            for_each_raw(count, 8, [&](std::uint64_t bits) { reals.push_back(std::bit_cast<double>(bits)); });
        } else if (t.type == onnx_type::float16 || t.type == onnx_type::bfloat16) {
            for (auto const bits : integers) add_16_bits(static_cast<std::uint64_t>(bits));
            for_each_raw(count, 2, add_16_bits);
        } else {
            return;
        }
        if (reals.size() == count) t.reals = std::move(reals);
    }

  private:
    struct stored_integer {
        onnx_type type;
        std::size_t width;  // bytes in `raw`
        bool is_signed;
    };
    [[nodiscard]] static auto integer_stored(onnx_type type) -> stored_integer const* {
        using enum onnx_type;
        static constexpr std::array all{
            stored_integer{uint8, 1, false},   stored_integer{int8, 1, true},    stored_integer{uint16, 2, false},
            stored_integer{int16, 2, true},    stored_integer{int32, 4, true},   stored_integer{int64, 8, true},
            stored_integer{boolean, 1, false}, stored_integer{uint32, 4, false}, stored_integer{uint64, 8, false}};
        for (auto const& one : all)
            if (one.type == type) return &one;
        return nullptr;
    }
    /// Calls f with the bits of every element in `raw`, if these are so many.
    template <class F>
    void for_each_raw(std::size_t count, std::size_t width, F const& f) const {
        if (raw.size() != count * width) return;
        for (std::size_t k = 0; k < count; ++k) {
            std::uint64_t bits = 0;
            for (std::size_t b = 0; b < width; ++b)
                bits |= std::uint64_t{static_cast<unsigned char>(raw[k * width + b])} << (8 * b);
            f(bits);
        }
    }
};

}  // namespace repebble::inline v0::io::detail

#endif
