#ifndef REPEBBLE_NETWORKS_TENSOR_HPP
#define REPEBBLE_NETWORKS_TENSOR_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::networks {

/// The size of a tensor along one dimension.
using extent = std::int64_t;

/// What a tensor is made of.
enum class element : std::uint8_t { float32, int64, boolean, bfloat16 };

[[nodiscard]] constexpr auto to_string(element type) -> std::string_view {
    constexpr std::string_view names[] = {"float32", "int64", "bool", "bfloat16"};
    return names[static_cast<std::size_t>(type)];
}

[[nodiscard]] constexpr auto size_of(element type) -> bytes {
    constexpr bytes sizes[] = {4, 8, 1, 2};
    return sizes[static_cast<std::size_t>(type)];
}

/// Numbers with a fraction, as opposed to indices and masks.
[[nodiscard]] constexpr auto is_floating(element type) -> bool {
    return type == element::float32 || type == element::bfloat16;
}

/// The shape and the element type of a value, without the value. Images are batch, channels, height, width.
struct tensor {
    std::vector<extent> shape{};
    element type = element::float32;

    [[nodiscard]] auto rank() const noexcept -> std::size_t { return shape.size(); }
    /// Number of elements.  Throws bad_weight where it does not fit in 64 bits.
    [[nodiscard]] auto volume() const -> std::int64_t {
        std::int64_t product = 1;
        for (auto const n : shape) product = checked_multiply(product, n, "elements of a tensor");
        return product;
    }
    /// Bytes of all elements.  Throws bad_weight where they do not fit in 64 bits.
    [[nodiscard]] auto size() const -> bytes { return checked_multiply(volume(), size_of(type)); }

    friend auto operator==(tensor const&, tensor const&) -> bool = default;
};

/// "128x64x56x56"
[[nodiscard]] inline auto to_string(tensor const& t) -> std::string {
    std::string text;
    for (auto const n : t.shape) text += (text.empty() ? "" : "x") + std::to_string(n);
    return text.empty() ? "scalar" : text;
}

/// Throws bad_graph where an extent is not positive.
inline void require_positive(tensor const& t, std::string const& what) {
    if (std::ranges::any_of(t.shape, [](extent n) { return n < 1; }))
        throw bad_graph(what + " would be " + to_string(t) + ", and every extent must be at least 1");
}

/// Throws bad_graph unless `ok`, saying what an operation got.
inline void require_input(bool ok, std::string_view operation, std::string_view expects, tensor const& got) {
    if (!ok)
        throw bad_graph(std::string(operation) + " reads " + std::string(expects) + ", not a tensor of shape " +
                        to_string(got));
}

}  // namespace repebble::networks

#endif
