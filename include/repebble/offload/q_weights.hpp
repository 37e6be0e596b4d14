#ifndef REPEBBLE_OFFLOAD_Q_WEIGHTS_HPP
#define REPEBBLE_OFFLOAD_Q_WEIGHTS_HPP

// The weights of a deep Q-network, W1 to W8 of Chen's equations (1) to (3), as plain numbers without a library for
// matrices. Their number does not depend on the trace: weights learnt on a small network can be taken to a large one.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <repebble/detail/raise.hpp>
#include <repebble/detail/split_mix.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/offload/planning_environment.hpp>

namespace repebble::inline v0 {

/// How the state of the graph and that of an action make a Q value.
enum class q_form : std::uint8_t {
    /// Equation (3) as printed, W7 ReLU([g, W8 s_a]): the sum of a value of the graph and one of the action. Which
    /// action is best depends on the state of the graph only as far as the action's own node knows it.
    separable,
    /// W7 ReLU(W9 ReLU([g, W8 s_a])) with a matrix W9 of 3p × 3p: the two can act on each other. Not in the paper.
    joint,
};

/// The shape of a deep Q-network: all that the number of weights depends on, and the number of rounds.
struct q_shape {
    std::size_t width = 32;  ///< p, the length of a node's state
    std::size_t rounds = 4;  ///< T, how often equation (1) is applied, from states of zero; nodes see T - 1 hops far
    q_form form = q_form::separable;  ///< equation (3), or its variant

    friend auto operator==(q_shape const&, q_shape const&) -> bool = default;
};

/// A matrix of weights: its name in the paper, its shape, and where its columns begin among all weights.
struct q_matrix {
    std::string_view name{};  ///< W1 … W9
    std::size_t rows = 0;     ///< of the matrix
    std::size_t columns = 0;  ///< of the matrix
    std::size_t offset = 0;   ///< of the first column; columns follow one another

    friend auto operator==(q_matrix const&, q_matrix const&) -> bool = default;
};

/// The weights of a deep Q-network.
struct q_weights {
    q_shape shape{};               ///< on which their number depends
    std::vector<double> values{};  ///< the matrices one after another, each by columns

    friend auto operator==(q_weights const&, q_weights const&) -> bool = default;
};

namespace detail {

/// Throws bad_option where a network cannot have this shape.
inline void check_shape(q_shape const& shape) {
    constexpr std::size_t widest = 4096;  // 9 p² + 3 · 3 p² weights stay far below 2³²
    if (shape.width == 0 || shape.width > widest)
        raise(bad_option("the width must lie between 1 and 4096, but is " + std::to_string(shape.width)));
    if (shape.rounds == 0) raise(bad_option("equation (1) is applied once at least"));
    if (shape.form != q_form::separable && shape.form != q_form::joint) raise(bad_option("there is no such form"));
}

struct q_matrices_fn {
    [[nodiscard]] auto operator()(q_shape const& shape) const -> std::array<q_matrix, 9> {
        check_shape(shape);
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
};

struct q_weight_count_fn {
    [[nodiscard]] auto operator()(q_shape const& shape) const -> std::size_t {
        auto const last = q_matrices_fn{}(shape).back();
        return last.offset + last.rows * last.columns;
    }
};

struct initial_q_weights_fn {
    [[nodiscard]] auto operator()(q_shape const& shape, std::uint64_t seed) const -> q_weights {
        // A node has about five neighbours, itself included: the states that W2 sees are that much larger.
        constexpr double neighbours = 5;
        q_weights made{.shape = shape, .values = {}};
        split_mix random(seed);
        for (auto const& matrix : q_matrices_fn{}(shape)) {
            auto limit = std::sqrt(6.0 / static_cast<double>(matrix.columns));
            if (matrix.name == "W2") limit /= neighbours;
            if (matrix.name == "W7") limit /= 10;  // first values near zero, as most rewards are
            for (std::size_t k = 0; k < matrix.rows * matrix.columns; ++k)
                made.values.push_back(limit * (2 * random.fraction() - 1));
        }
        return made;
    }
};

struct check_q_weights_fn {
    void operator()(q_weights const& weights) const {
        auto const needed = q_weight_count_fn{}(weights.shape);
        if (weights.values.size() != needed)
            raise(bad_weight("a network of width " + std::to_string(weights.shape.width) + " has " +
                             std::to_string(needed) + " weights, not " + std::to_string(weights.values.size())));
        for (std::size_t k = 0; k < needed; ++k)
            if (!std::isfinite(weights.values[k])) raise(bad_weight("weight " + std::to_string(k) + " is no number"));
    }
};

}  // namespace detail

/// The matrices W1 … W9 of a shape; W9 is empty where the form is separable.  Throws bad_option where the width is 0 or
/// above 4096, or there is no round.
inline constexpr detail::q_matrices_fn q_matrices{};

/// How many weights a shape has.  Throws as `q_matrices` does.
inline constexpr detail::q_weight_count_fn q_weight_count{};

/// Random weights to begin with, uniform within ±√(6 / columns), W2 and W7 smaller; the same for the same seed
/// everywhere.  Throws as `q_matrices` does.
inline constexpr detail::initial_q_weights_fn initial_q_weights{};

/// Throws bad_option where the shape is none, bad_weight where the number of weights is another than the shape's or a
/// weight is no finite number; the message has the number.
inline constexpr detail::check_q_weights_fn check_q_weights{};

}  // namespace repebble::inline v0

#endif
