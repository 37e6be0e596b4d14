#ifndef REPEBBLE_OFFLOAD_Q_WEIGHTS_HPP
#define REPEBBLE_OFFLOAD_Q_WEIGHTS_HPP

// The weights of a deep Q-network, W1 to W8 of Chen's equations (1) to (3), as plain numbers without a library for
// matrices. Their number does not depend on the trace: weights learnt on a small network can be taken to a large one.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

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

/// The matrices W1 … W9 of a shape; W9 is empty where the form is separable.  Throws bad_option where the width is 0 or
/// above 4096, or there is no round.
[[nodiscard]] auto q_matrices(q_shape const& shape) -> std::array<q_matrix, 9>;

/// How many weights a shape has.  Throws as `q_matrices` does.
[[nodiscard]] inline auto q_weight_count(q_shape const& shape) -> std::size_t {
    auto const last = q_matrices(shape).back();
    return last.offset + last.rows * last.columns;
}

/// Random weights to begin with, uniform within ±√(6 / columns), W2 and W7 smaller; the same for the same seed
/// everywhere.  Throws as `q_matrices` does.
[[nodiscard]] auto initial_q_weights(q_shape const& shape, std::uint64_t seed) -> q_weights;

/// Throws bad_option where the shape is none, bad_weight where the number of weights is another than the shape's or a
/// weight is no finite number; the message has the number.
void check_q_weights(q_weights const& weights);

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/offload/q_weights.ipp>
#endif

#endif
