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

/// A language model of LSTM layers (Hochreiter, Schmidhuber 1997), unrolled over the steps: all steps of a layer read
/// the same parameters. State is empty at first, so that the first step has no forget gate.
[[nodiscard]] inline auto lstm(lstm_options const& options) -> model {
    if (options.layers < 1) throw bad_graph("lstm: cannot have " + std::to_string(options.layers) + " layers");
    model m("lstm");
    auto const n = options.features;
    auto const rows = checked_multiply(options.batch, options.length, "rows");
    auto const tokens = m.add_input("tokens", {{options.batch, options.length}, element::int64});
    auto const embedded = m.append("embedding", embedding{options.vocabulary, n}, {tokens});

    struct state {
        operand hidden, cell;
    };
    struct layer {
        std::vector<std::uint32_t> input, recurrent;
        std::optional<state> last;
    };
    std::vector<layer> layers(static_cast<std::size_t>(options.layers));
    // A product whose parameters are made at its first use.
    auto const shared = [&m](std::string const& name, linear const& what, operand x, std::vector<std::uint32_t>& own) {
        if (!own.empty()) return m.append(name, what, {x}, own);
        auto const y = m.append(name, what, {x});
        own = m.operations()[y.index].parameters;
        return y;
    };
    std::vector<operand> top;
    for (extent step = 0; step < options.length; ++step) {
        auto const prefix = "step" + std::to_string(step + 1) + ".";
        auto x = m.append(prefix + "slice", slice{step}, {embedded});
        for (std::size_t l = 0; l < layers.size(); ++l) {
            auto const name = prefix + "layer" + std::to_string(l + 1) + ".";
            auto& [input, recurrent, last] = layers[l];
            auto gates = shared(name + "input", {4 * n}, x, input);
            if (last) {
                auto const again = shared(name + "recurrent", {4 * n, false}, last->hidden, recurrent);
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
            last = state{x, cell};
        }
        top.push_back(x);
    }
    auto x = m.append("stack", stack{}, top);
    x = m.append("rows", reshape{{rows, n}}, {x});
    add_loss(m, m.append("classifier", linear{options.vocabulary}, {x}));
    return m;
}

}  // namespace repebble::networks

#endif
