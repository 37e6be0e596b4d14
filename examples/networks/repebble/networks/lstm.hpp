#ifndef REPEBBLE_NETWORKS_LSTM_HPP
#define REPEBBLE_NETWORKS_LSTM_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <repebble/graph/error.hpp>
#include <repebble/networks/layers.hpp>
#include <repebble/networks/model.hpp>

namespace repebble::networks {

/// What an LSTM for text may be like.
struct lstm_options {
    extent batch = 128;
    extent length = 64;  ///< steps, all unrolled
    int layers = 4;
    extent features = 1024;
    extent vocabulary = 10000;
};

/// What an LSTM for frames, such as those of speech, may be like.
struct lstm_frames_options {
    extent batch = 64;
    extent length = 64;  ///< steps, all unrolled
    int layers = 4;
    extent features = 1024;
    extent inputs = 50;  ///< numbers in each frame
    extent classes = 5000;
};

namespace detail {

[[nodiscard]] inline auto step_prefix(extent step) -> std::string { return "step" + std::to_string(step + 1) + "."; }

/// A product whose parameters are made at its first use and kept in `own`.
[[nodiscard]] inline auto shared_product(model& m, std::string const& name, linear const& what, operand x,
                                         std::vector<std::uint32_t>& own) -> operand {
    if (!own.empty()) return m.append(name, what, {x}, own);
    auto const y = m.append(name, what, {x});
    own = m.operations()[y.index].parameters;
    return y;
}

/// LSTM layers (Hochreiter, Schmidhuber 1997), unrolled step by step: all steps of a layer read the same parameters.
/// State is empty at first, so that the first step has no forget gate.
class lstm_layers {
  public:
    lstm_layers(model& m, int layers, extent features) : model_(m), features_(features) {
        if (layers < 1) throw bad_graph(m.name() + ": cannot have " + std::to_string(layers) + " layers");
        layers_.resize(static_cast<std::size_t>(layers));
    }

    /// The next step: what comes out of the last layer.
    [[nodiscard]] auto step(std::string const& prefix, operand x) -> operand {
        for (std::size_t l = 0; l < layers_.size(); ++l)
            x = step(prefix + "layer" + std::to_string(l + 1) + ".", x, layers_[l]);
        return x;
    }

  private:
    struct state {
        operand hidden, cell;
    };
    struct layer {
        std::vector<std::uint32_t> input, recurrent;
        std::optional<state> last;
    };

    [[nodiscard]] auto step(std::string const& name, operand x, layer& of) -> operand {
        auto& m = model_;
        auto const last = of.last;
        auto gates = shared_product(m, name + "input", {4 * features_}, x, of.input);
        if (last) {
            auto const again =
                shared_product(m, name + "recurrent", {4 * features_, false}, last->hidden, of.recurrent);
            gates = m.append(name + "sum", add{}, {gates, again});
        }
        gates = m.append(name + "gates", split{4}, {gates});
        auto const open = m.append(name + "input_gate", sigmoid{}, {output_of(gates, 0)});
        std::optional<operand> forget;
        if (last) forget = m.append(name + "forget_gate", sigmoid{}, {output_of(gates, 1)});
        auto const show = m.append(name + "output_gate", sigmoid{}, {output_of(gates, 3)});
        auto const candidate = m.append(name + "candidate", hyperbolic_tangent{}, {output_of(gates, 2)});
        std::optional<operand> kept;
        if (last) kept = m.append(name + "kept", multiply{}, {*forget, last->cell});
        auto cell = m.append(name + "added", multiply{}, {open, candidate});
        if (kept) cell = m.append(name + "cell", add{}, {*kept, cell});
        x = m.append(name + "hidden", multiply{}, {show, m.append(name + "tanh", hyperbolic_tangent{}, {cell})});
        of.last = state{x, cell};
        return x;
    }

    model& model_;
    extent features_;
    std::vector<layer> layers_;
};

}  // namespace detail

/// A language model of LSTM layers, unrolled over the steps.
[[nodiscard]] inline auto lstm(lstm_options const& options) -> model {
    model m("lstm");
    detail::lstm_layers layers(m, options.layers, options.features);
    auto const rows = checked_multiply(options.batch, options.length, "rows");
    auto const tokens = m.add_input("tokens", {{options.batch, options.length}, element::int64});
    auto const embedded = m.append("embedding", embedding{options.vocabulary, options.features}, {tokens});
    std::vector<operand> top;
    for (extent step = 0; step < options.length; ++step) {
        auto const prefix = detail::step_prefix(step);
        top.push_back(layers.step(prefix, m.append(prefix + "slice", slice{step}, {embedded})));
    }
    auto x = m.append("stack", stack{}, top);
    x = m.append("rows", reshape{{rows, options.features}}, {x});
    add_loss(m, m.append("classifier", linear{options.vocabulary}, {x}));
    return m;
}

/// Chen et al. 2016, section 5.3: LSTM layers that read a frame of numbers at each step and say its class, with a loss
/// of its own. The steps share the parameters of the classifier, too.
[[nodiscard]] inline auto lstm_frames(lstm_frames_options const& options) -> model {
    model m("lstm_frames");
    detail::lstm_layers layers(m, options.layers, options.features);
    std::vector<std::uint32_t> classifier;
    for (extent step = 0; step < options.length; ++step) {
        auto const prefix = detail::step_prefix(step);
        auto const x = layers.step(prefix, m.add_input(prefix + "frame", {{options.batch, options.inputs}}));
        auto const scores = detail::shared_product(m, prefix + "classifier", {options.classes}, x, classifier);
        add_loss(m, scores, prefix, prefix + "labels");
    }
    return m;
}

}  // namespace repebble::networks

#endif
