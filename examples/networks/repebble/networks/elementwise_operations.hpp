#ifndef REPEBBLE_NETWORKS_ELEMENTWISE_OPERATIONS_HPP
#define REPEBBLE_NETWORKS_ELEMENTWISE_OPERATIONS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <repebble/graph/error.hpp>
#include <repebble/networks/kind.hpp>
#include <repebble/networks/tensor.hpp>

/// Operations whose output has the shape of their first input, and losses.
namespace repebble::networks {

enum class function : std::uint8_t { relu, gelu, sigmoid, tanh, silu };

/// A function of each element. The gradient of relu, sigmoid and tanh is read off the output, that of gelu and silu is
/// not.
template <function F>
struct activation {
    static constexpr std::string_view name =
        std::array<std::string_view, 5>{"relu", "gelu", "sigmoid", "tanh", "silu"}[static_cast<std::size_t>(F)];
    static constexpr bool by_input = F == function::gelu || F == function::silu;
    static constexpr gradient_needs needs{.inputs = by_input, .output = !by_input};
    static constexpr bool may_overwrite = !by_input;

    [[nodiscard]] auto outputs(std::span<tensor const> in) const -> std::vector<tensor> { return {in[0]}; }
    friend auto operator==(activation const&, activation const&) -> bool = default;
};
using relu = activation<function::relu>;
using gelu = activation<function::gelu>;
using sigmoid = activation<function::sigmoid>;
using hyperbolic_tangent = activation<function::tanh>;
using silu = activation<function::silu>;  ///< x · sigmoid(x)

/// Its second output is the mask of what was kept; the gradient reads it.
struct dropout {
    static constexpr std::string_view name = "dropout";
    static constexpr gradient_needs needs{.output = true};
    static constexpr bool may_overwrite = true;
    double probability = 0.5;

    [[nodiscard]] auto outputs(std::span<tensor const> in) const -> std::vector<tensor> {
        if (!(probability >= 0 && probability < 1))
            throw bad_graph("dropout drops with a probability from 0 to below 1, not " + std::to_string(probability));
        return {in[0], {in[0].shape, element::boolean}};
    }
    [[nodiscard]] auto attributes() const -> nlohmann::json { return {{"probability", probability}}; }
    friend auto operator==(dropout const&, dropout const&) -> bool = default;
};

/// The second input is repeated where it lacks leading dimensions of the first.
struct add {
    static constexpr std::string_view name = "add";
    static constexpr operand_count operands = two_operands;
    static constexpr bool may_overwrite = true;

    [[nodiscard]] auto outputs(std::span<tensor const> in) const -> std::vector<tensor> {
        auto const& large = in[0].shape;
        auto const& small = in[1].shape;
        bool const fits = small.size() <= large.size() && std::equal(small.rbegin(), small.rend(), large.rbegin()) &&
                          in[1].type == in[0].type;
        require_input(fits, name, "a second tensor that ends as the first, " + to_string(in[0]), in[1]);
        return {in[0]};
    }
    friend auto operator==(add const&, add const&) -> bool = default;
};

/// Element by element.
struct multiply {
    static constexpr std::string_view name = "mul";
    static constexpr operand_count operands = two_operands;
    static constexpr gradient_needs needs{.inputs = true};

    [[nodiscard]] auto outputs(std::span<tensor const> in) const -> std::vector<tensor> {
        require_input(in[0] == in[1], name, "two tensors of shape " + to_string(in[0]), in[1]);
        return {in[0]};
    }
    friend auto operator==(multiply const&, multiply const&) -> bool = default;
};

/// By a constant.
struct scale {
    static constexpr std::string_view name = "mul";
    static constexpr bool may_overwrite = true;
    double factor = 1;

    [[nodiscard]] auto outputs(std::span<tensor const> in) const -> std::vector<tensor> { return {in[0]}; }
    [[nodiscard]] auto attributes() const -> nlohmann::json { return {{"factor", factor}}; }
    friend auto operator==(scale const&, scale const&) -> bool = default;
};

/// Scores of later positions become -infinity: the last two dimensions are a square, a mask of which is a parameter.
struct causal_mask {
    static constexpr std::string_view name = "masked_fill";
    static constexpr bool may_overwrite = true;

    [[nodiscard]] auto outputs(std::span<tensor const> in) const -> std::vector<tensor> {
        auto const n = in[0].rank();
        require_input(n >= 2 && in[0].shape[n - 1] == in[0].shape[n - 2], name, "squares of scores", in[0]);
        return {in[0]};
    }
    [[nodiscard]] auto parameters(std::span<tensor const> in) const -> std::vector<parameter> {
        auto const n = in[0].shape.back();
        return {{"mask", {{n, n}, element::boolean}, false}};
    }
    friend auto operator==(causal_mask const&, causal_mask const&) -> bool = default;
};

/// Over the last dimension.
struct softmax {
    static constexpr std::string_view name = "softmax";
    static constexpr gradient_needs needs{.output = true};
    static constexpr bool may_overwrite = true;

    [[nodiscard]] auto outputs(std::span<tensor const> in) const -> std::vector<tensor> { return {in[0]}; }
    friend auto operator==(softmax const&, softmax const&) -> bool = default;
};

/// Over the second dimension, the classes.
struct log_softmax {
    static constexpr std::string_view name = "log_softmax";
    static constexpr gradient_needs needs{.output = true};

    [[nodiscard]] auto outputs(std::span<tensor const> in) const -> std::vector<tensor> {
        require_input(in[0].rank() >= 2, name, "scores per class", in[0]);
        return {in[0]};
    }
    friend auto operator==(log_softmax const&, log_softmax const&) -> bool = default;
};

/// Negative log likelihood of labels, averaged. Its second output is the weight of all labels that count, which the
/// gradient reads.
struct nll_loss {
    static constexpr std::string_view name = "loss";
    static constexpr operand_count operands = two_operands;
    static constexpr gradient_needs needs{.output = true};

    [[nodiscard]] auto outputs(std::span<tensor const> in) const -> std::vector<tensor> {
        auto labels = in[0].shape;
        if (labels.size() >= 2) labels.erase(labels.begin() + 1);
        require_input(labels == in[1].shape && in[1].type == element::int64, name,
                      "an int64 label for each row of " + to_string(in[0]), in[1]);
        return {{}, {}};
    }
    friend auto operator==(nll_loss const&, nll_loss const&) -> bool = default;
};

}  // namespace repebble::networks

#endif
