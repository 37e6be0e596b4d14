#ifndef REPEBBLE_TRAINING_INITIAL_VALUES_HPP
#define REPEBBLE_TRAINING_INITIAL_VALUES_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <variant>
#include <vector>

#include <repebble/execute/fill_pattern.hpp>
#include <repebble/networks/model.hpp>
#include <repebble/training/random_numbers.hpp>

namespace repebble::training {

/// A square mask, row by row: 1 where a position sees another, itself and those before it.
[[nodiscard]] inline auto causal_triangle(networks::extent rows) -> std::vector<std::uint8_t> {
    auto const n = static_cast<std::size_t>(rows);
    std::vector<std::uint8_t> mask(n * n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j) mask[i * n + j] = 1;
    return mask;
}

/// The table of a rotary embedding, row by row: of each position the cosines of its angles, then the sines.
[[nodiscard]] inline auto rotation_table(networks::extent rows, networks::extent size, double base)
    -> std::vector<float> {
    std::vector<float> table;
    for (networks::extent row = 0; row < rows; ++row)
        for (networks::extent k = 0; k < size; ++k) {
            auto const pair = static_cast<double>(2 * (k % (size / 2))) / static_cast<double>(size);
            auto const angle = static_cast<double>(row) * std::pow(base, -pair);
            table.push_back(static_cast<float>(k < size / 2 ? std::cos(angle) : std::sin(angle)));
        }
    return table;
}

namespace detail {

template <class T>
[[nodiscard]] auto as_bytes(std::vector<T> const& values) -> std::vector<std::byte> {
    std::vector<std::byte> raw(values.size() * sizeof(T));
    if (!raw.empty()) std::memcpy(raw.data(), values.data(), raw.size());
    return raw;
}

template <class F>
[[nodiscard]] auto floats(networks::tensor const& t, F&& value) -> std::vector<std::byte> {
    std::vector<float> all(static_cast<std::size_t>(t.volume()));
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<float>(value(i));
    return as_bytes(all);
}

/// The deviation of a weight with which what flows through the network neither grows nor shrinks (He et al. 2015 for
/// convolutions; Glorot, Bengio 2010, without the width of the output, for products).
template <class Kind>
[[nodiscard]] auto deviation([[maybe_unused]] Kind const& kind, networks::tensor const& weight) -> double {
    auto const& shape = weight.shape;
    if constexpr (std::is_same_v<Kind, networks::convolution>) {
        auto const sources = kind.transposed ? shape[0] : shape[1];
        return std::sqrt(2.0 / static_cast<double>(sources * shape[2] * shape[3]));
    } else if constexpr (std::is_same_v<Kind, networks::linear>) {
        return std::sqrt(1.0 / static_cast<double>(shape[1]));
    } else {
        return 0.02;  // embeddings, as GPT-2 has them
    }
}

template <class Kind>
[[nodiscard]] auto initial_value(Kind const& kind, std::size_t which, networks::tensor const& t, std::uint64_t seed)
    -> std::vector<std::byte> {
    constexpr bool norm = std::is_same_v<Kind, networks::batch_norm> || std::is_same_v<Kind, networks::layer_norm> ||
                          std::is_same_v<Kind, networks::rms_norm>;
    random_numbers const random(seed);
    if constexpr (std::is_same_v<Kind, networks::causal_mask>) return as_bytes(causal_triangle(t.shape[0]));
    if constexpr (std::is_same_v<Kind, networks::rotary_embedding>)
        return as_bytes(rotation_table(t.shape[0], t.shape[1], kind.base));
    if (t.type == networks::element::int64) {
        std::vector<std::int64_t> positions(static_cast<std::size_t>(t.volume()));
        for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = static_cast<std::int64_t>(i);
        return as_bytes(positions);
    }
    if constexpr (norm)  // weight, bias, running mean, running variance
        return floats(t, [&](std::size_t) { return which == 0 || which == 3 ? 1 : 0; });
    if (which > 0) return floats(t, [](std::size_t) { return 0; });  // a bias
    auto const scale = deviation(kind, t);
    return floats(t, [&](std::size_t i) { return scale * random.normal(i); });
}

}  // namespace detail

/// Calls give(p, values) with what every parameter p of a model begins with, as it lies in memory: one after the other,
/// so that never more than one is there. Equal seeds give equal values.
template <class Give>
void for_each_initial_value(networks::model const& m, std::uint64_t seed, Give&& give) {
    std::vector<bool> made(m.parameters().size(), false);
    for (auto const& v : m.operations())
        for (std::size_t which = 0; which < v.parameters.size(); ++which) {
            auto const p = v.parameters[which];
            if (made[p]) continue;  // shared: its first user has made it
            made[p] = true;
            auto const values = std::visit(
                [&](auto const& kind) {
                    auto const own_seed = fill_pattern{seed}.word(p);
                    return detail::initial_value(kind, which, m.parameters()[p].tensor, own_seed);
                },
                v.what);
            give(p, values);
        }
}

}  // namespace repebble::training

#endif
