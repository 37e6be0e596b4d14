#ifndef REPEBBLE_NETWORKS_MODEL_HPP
#define REPEBBLE_NETWORKS_MODEL_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
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

/// Every kind of operation that a model may have: the list is closed, so that an executor has one visitor for them.
using any_kind =
    std::variant<convolution, batch_norm, local_response_norm, max_pool, average_pool, adaptive_average_pool, resize,
                 crop, linear, batched_product, layer_norm, rms_norm, rotary_embedding, embedding, position_embedding,
                 relu, gelu, sigmoid, hyperbolic_tangent, silu, dropout, add, multiply, scale, causal_mask, softmax,
                 log_softmax, nll_loss, reshape, transpose, split, slice, contiguous, concat, stack>;

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
    std::vector<operand> inputs{};  ///< in the order that its kind says
    std::vector<tensor> outputs{};
    std::vector<std::uint32_t> parameters{};  ///< positions in the model's parameters, in the order of its kind
    std::int64_t flops = 0;                   ///< 2 per multiply-add of convolutions and matrix products, else 0
    bytes traffic = 0;                        ///< bytes that it reads and writes

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
    /// Requires: the model has it.
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

    /// Throws bad_graph where an extent is not positive, bad_weight where its bytes do not fit in 64 bits.
    auto add_input(std::string name, tensor shape) -> operand {
        guarded(name, [&] {
            require_positive(shape, "the input");
            static_cast<void>(shape.size());
        });
        inputs_.push_back({std::move(name), std::move(shape), false});
        return {operand::source::input, static_cast<std::uint32_t>(inputs_.size() - 1)};
    }

    /// Adds an operation, with parameters of its own, and returns its first output.
    /// Throws bad_graph where it cannot read these operands, bad_weight where a size does not fit in 64 bits; the
    /// message names the operation, and the model is as it was.
    template <operation_kind Kind>
        requires std::constructible_from<any_kind, Kind>
    auto append(std::string name, Kind what, std::vector<operand> reads) -> operand {
        operation made{std::move(name), what, std::move(reads)};
        std::vector<parameter> own;
        guarded(made.name, [&] {
            auto const in = operands_for(made, what);
            made.outputs = what.outputs(in);
            own = parameters_of(what, in);
            for (auto& p : own) {
                made.parameters.push_back(static_cast<std::uint32_t>(parameters_.size() + made.parameters.size()));
                p.name = made.name + "." + p.name;
            }
            finish(made, what, in, own);
        });
        parameters_.insert(parameters_.end(), own.begin(), own.end());
        return add(std::move(made));
    }
    /// The same with parameters that other operations have, too.  Throws bad_graph where their shapes do not fit.
    template <operation_kind Kind>
        requires std::constructible_from<any_kind, Kind>
    auto append(std::string name, Kind what, std::vector<operand> reads, std::vector<std::uint32_t> shared) -> operand {
        operation made{std::move(name), what, std::move(reads), {}, std::move(shared)};
        guarded(made.name, [&] {
            auto const in = operands_for(made, what);
            made.outputs = what.outputs(in);
            finish(made, what, in, shared_parameters(made, parameters_of(what, in)));
        });
        return add(std::move(made));
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
    /// The tensors that v reads, as many as its kind wants.
    template <operation_kind Kind>
    [[nodiscard]] auto operands_for(operation const& v, Kind const& what) const -> std::vector<tensor> {
        auto const [fewest, most] = operands_of(what);
        if (v.inputs.size() < fewest || v.inputs.size() > most)
            throw bad_graph(std::string(Kind::name) + " reads " + (most > fewest ? "at least " : "") +
                            std::to_string(fewest) + " operands, not " + std::to_string(v.inputs.size()));
        std::vector<tensor> all;
        for (auto const& x : v.inputs) {
            bool const input = x.from == operand::source::input;
            if (input ? x.index >= inputs_.size()
                      : x.index >= operations_.size() || x.output >= operations_[x.index].outputs.size())
                throw bad_graph(
                    (input ? "reads input " : "reads output " + std::to_string(x.output) + " of operation ") +
                    std::to_string(x.index) + ", which the model does not have");
            all.push_back(tensor_of(x));
        }
        return all;
    }
    template <operation_kind Kind>
    static void finish(operation& made, Kind const& what, std::span<tensor const> in, std::span<parameter const> own) {
        for (auto const& t : made.outputs) require_positive(t, "an output");
        bytes size = 0;
        for (auto const& p : own) {
            require_positive(p.tensor, "the parameter " + p.name);
            size = checked_add(size, p.tensor.size());
        }
        static_cast<void>(total_size(made.outputs));
        made.flops = flops_of(what, in, made.outputs);
        made.traffic = traffic_of(what, in, made.outputs, size);
    }
    /// The parameters of v, which are of the shapes that are expected.
    [[nodiscard]] auto shared_parameters(operation const& v, std::vector<parameter> const& expected) const
        -> std::vector<parameter> {
        if (v.parameters.size() != expected.size())
            throw bad_graph("has " + std::to_string(v.parameters.size()) + " parameters and needs " +
                            std::to_string(expected.size()));
        std::vector<parameter> all;
        for (std::size_t i = 0; i < expected.size(); ++i) {
            auto const p = v.parameters[i];
            if (p >= parameters_.size())
                throw bad_graph("has parameter " + std::to_string(p) + ", which the model does not have");
            if (parameters_[p].tensor != expected[i].tensor)
                throw bad_graph("its parameter " + parameters_[p].name + " has the shape " +
                                to_string(parameters_[p].tensor) + " and not " + to_string(expected[i].tensor));
            all.push_back(parameters_[p]);
        }
        return all;
    }
    auto add(operation made) -> operand {
        operations_.push_back(std::move(made));
        return {operand::source::operation, static_cast<std::uint32_t>(operations_.size() - 1)};
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
