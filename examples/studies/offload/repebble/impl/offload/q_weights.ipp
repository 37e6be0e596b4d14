#ifndef REPEBBLE_IMPL_OFFLOAD_Q_WEIGHTS_IPP
#define REPEBBLE_IMPL_OFFLOAD_Q_WEIGHTS_IPP

#include <repebble/offload/q_weights.hpp>

#include <cmath>
#include <string>

#include <repebble/detail/raise.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/detail/split_mix.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/offload/planning_environment.hpp>

namespace repebble::inline v0::detail {

/// Throws bad_option where a network cannot have this shape.
inline void check_shape(q_shape const& shape) {
    constexpr std::size_t widest = 4096;  // 9 p² + 3 · 3 p² weights stay far below 2³²
    if (shape.width == 0 || shape.width > widest)
        raise(bad_option("the width must lie between 1 and 4096, but is " + std::to_string(shape.width)));
    if (shape.rounds == 0) raise(bad_option("equation (1) is applied once at least"));
    if (shape.form != q_form::separable && shape.form != q_form::joint) raise(bad_option("there is no such form"));
}

}  // namespace repebble::inline v0::detail

namespace repebble::inline v0 {

REPEBBLE_INLINE auto q_matrices(q_shape const& shape) -> std::array<q_matrix, 9> {
    detail::check_shape(shape);
    auto const p = shape.width;
    auto const joint = shape.form == q_form::joint ? 3 * p : 0;
    std::array<q_matrix, 9> all{{{"W1", p, node_feature::count},
                                 {"W2", p, p},
                                 {"W3", p, p},
                                 {"W4", p, 1},
                                 {"W5", p, p},
                                 {"W6", p, p},
                                 {"W7", 1, 3 * p},
                                 {"W8", p, p},
                                 {"W9", joint, joint}}};
    for (std::size_t k = 1; k < all.size(); ++k)
        all[k].offset = all[k - 1].offset + all[k - 1].rows * all[k - 1].columns;
    return all;
}

REPEBBLE_INLINE auto initial_q_weights(q_shape const& shape, std::uint64_t seed) -> q_weights {
    // A node has about five neighbours, itself included: the states that W2 sees are that much larger.
    constexpr double neighbours = 5;
    q_weights made{.shape = shape, .values = {}};
    detail::split_mix random(seed);
    for (auto const& matrix : q_matrices(shape)) {
        auto limit = std::sqrt(6.0 / static_cast<double>(matrix.columns));
        if (matrix.name == "W2") limit /= neighbours;
        if (matrix.name == "W7") limit /= 10;  // first values near zero, as most rewards are
        for (std::size_t k = 0; k < matrix.rows * matrix.columns; ++k)
            made.values.push_back(limit * (2 * random.fraction() - 1));
    }
    return made;
}

REPEBBLE_INLINE void check_q_weights(q_weights const& weights) {
    auto const needed = q_weight_count(weights.shape);
    if (weights.values.size() != needed)
        detail::raise(bad_weight("a network of width " + std::to_string(weights.shape.width) + " has " +
                                 std::to_string(needed) + " weights, not " + std::to_string(weights.values.size())));
    for (std::size_t k = 0; k < needed; ++k)
        if (!std::isfinite(weights.values[k]))
            detail::raise(bad_weight("weight " + std::to_string(k) + " is no number"));
}

}  // namespace repebble::inline v0

#endif
