#ifndef REPEBBLE_NETWORKS_MODEL_HPP
#define REPEBBLE_NETWORKS_MODEL_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/networks/elementwise_operations.hpp>
#include <repebble/networks/image_operations.hpp>
#include <repebble/networks/kind.hpp>
#include <repebble/networks/layout_operations.hpp>
#include <repebble/networks/matrix_operations.hpp>
#include <repebble/networks/tensor.hpp>

namespace repebble::networks {

/// Every kind of operation that a model may have. An executor has one visitor for them.
using any_kind = std::variant<convolution, batch_norm, local_response_norm, max_pool, average_pool,
                              adaptive_average_pool, resize, crop, linear, batched_product, layer_norm, embedding,
                              position_embedding, relu, gelu, sigmoid, hyperbolic_tangent, dropout, add, multiply, scale, causal_mask,
                              softmax, log_softmax, nll_loss, reshape, transpose, split, slice, contiguous, concat, stack>;

/// Where an operation reads from: an output of another operation, or an input of the model.
struct operand {
    enum class source : std::uint8_t { operation, input };
    source from = source::operation;
    std::uint32_t index = 0;   ///< of the operation or of the input
    std::uint32_t output = 0;  ///< of the operation
    friend auto operator==(operand const&, operand const&) -> bool = default;
};

/// One operation of a model.
struct operation {
    std::string name{};
    any_kind what{};
    std::vector<operand> inputs{};             ///< in the order that its kind says
    std::vector<tensor> outputs{};
    std::vector<std::uint32_t> parameters{};   ///< positions in the model's parameters, in the order of its kind
    std::int64_t flops = 0;                    ///< 2 per multiply-add of convolutions and matrix products, else 0
    bytes traffic = 0;                         ///< bytes that it reads and writes

    [[nodiscard]] auto is_view() const -> bool {
        return std::visit([](auto const& k) { return is_view_of(k); }, what);
    }
    friend auto operator==(operation const&, operation const&) -> bool = default;
};

/// A network as it is trained: inputs, parameters and operations, each of which reads only what was added before.
/// Invariant: every shape, parameter and figure of an operation is what its kind says of what it reads.
class model {
  public:
    explicit model(std::string name) : name_(std::move(name)) {}

    [[nodiscard]] auto name() const noexcept -> std::string const& { return name_; }
    [[nodiscard]] auto operations() const noexcept -> std::span<operation const> { return operations_; }
    [[nodiscard]] auto inputs() const noexcept -> std::span<parameter const> { return inputs_; }
    [[nodiscard]] auto parameters() const noexcept -> std::span<parameter const> { return parameters_; }
    [[nodiscard]] auto tensor_of(operand const& x) const -> tensor const& {
        return x.from == operand::source::input ? inputs_.at(x.index).tensor
                                                : operations_.at(x.index).outputs.at(x.output);
    }
    /// Bytes of the parameters that are trained.
    [[nodiscard]] auto trained_size() const -> bytes {
        bytes sum = 0;
        for (auto const& p : parameters_)
            if (p.trained) sum = checked_add(sum, p.tensor.size());
        return sum;
    }

    /// Throws bad_graph where an extent is not positive.
    auto add_input(std::string name, tensor shape) -> operand {
        require_positive(shape, "the input " + name);
        inputs_.push_back({std::move(name), std::move(shape), false});
        return {operand::source::input, static_cast<std::uint32_t>(inputs_.size() - 1)};
    }

    /// Adds an operation, with parameters of its own, and returns its first output.
    /// Throws bad_graph where it cannot read these inputs, bad_weight where a size does not fit in 64 bits; the message
    /// names the operation.
    template <operation_kind Kind>
    auto append(std::string name, Kind what, std::initializer_list<operand> reads) -> operand {
        return append(std::move(name), std::move(what), std::vector<operand>(reads));
    }
    template <operation_kind Kind>
    auto append(std::string name, Kind what, std::vector<operand> reads) -> operand {
        std::vector<std::uint32_t> own;
        guarded(name, [&] {
            auto const in = tensors_of(reads);
            static_cast<void>(what.outputs(in));  // refuses what the kind cannot read
            for (auto& p : parameters_of(what, in)) {
                own.push_back(static_cast<std::uint32_t>(parameters_.size()));
                p.name = name + "." + p.name;
                parameters_.push_back(std::move(p));
            }
        });
        return append(std::move(name), std::move(what), std::move(reads), std::move(own));
    }
    /// The same with parameters that other operations have, too.  Throws bad_graph where their shapes do not fit.
    template <operation_kind Kind>
    auto append(std::string name, Kind what, std::vector<operand> reads, std::vector<std::uint32_t> shared) -> operand {
        operation made{std::move(name), what, std::move(reads), {}, std::move(shared)};
        guarded(made.name, [&] {
            auto const in = tensors_of(made.inputs);
            made.outputs = what.outputs(in);
            for (auto const& t : made.outputs) require_positive(t, "an output");
            made.flops = flops_of(what, in, made.outputs);
            made.traffic = traffic_of(what, in, made.outputs, size_of_parameters(made, parameters_of(what, in)));
        });
        operations_.push_back(std::move(made));
        return {operand::source::operation, static_cast<std::uint32_t>(operations_.size() - 1)};
    }

    friend auto operator==(model const&, model const&) -> bool = default;

  private:
    template <class Action>
    static void guarded(std::string const& name, Action&& action) {
        try {
            action();
        } catch (bad_weight const& e) {
            throw bad_weight(name + ": " + e.what());
        } catch (bad_graph const& e) {
            throw bad_graph(name + ": " + e.what());
        }
    }
    [[nodiscard]] auto tensors_of(std::span<operand const> reads) const -> std::vector<tensor> {
        std::vector<tensor> all;
        for (auto const& x : reads) all.push_back(tensor_of(x));
        return all;
    }
    [[nodiscard]] auto size_of_parameters(operation const& v, std::vector<parameter> const& expected) const -> bytes {
        if (v.parameters.size() != expected.size())
            throw bad_graph("has " + std::to_string(v.parameters.size()) + " parameters and needs " +
                            std::to_string(expected.size()));
        bytes sum = 0;
        for (std::size_t i = 0; i < expected.size(); ++i) {
            auto const& given = parameters_.at(v.parameters[i]);
            if (given.tensor != expected[i].tensor)
                throw bad_graph("its parameter " + given.name + " has the shape " + to_string(given.tensor) +
                                " and not " + to_string(expected[i].tensor));
            sum = checked_add(sum, given.tensor.size());
        }
        return sum;
    }

    std::string name_;
    std::vector<parameter> inputs_{};
    std::vector<parameter> parameters_{};
    std::vector<operation> operations_{};
};

/// Output `output` of the operation of which x is an output.
[[nodiscard]] constexpr auto output_of(operand x, std::uint32_t output) -> operand {
    x.output = output;
    return x;
}

}  // namespace repebble::networks

#endif
