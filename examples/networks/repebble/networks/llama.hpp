#ifndef REPEBBLE_NETWORKS_LLAMA_HPP
#define REPEBBLE_NETWORKS_LLAMA_HPP

#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <repebble/graph/error.hpp>
#include <repebble/networks/layers.hpp>
#include <repebble/networks/model.hpp>

namespace repebble::networks {

/// What a transformer like Llama may be like. The defaults are those of Llama 2 with 7 billion parameters.
struct llama_options {
    extent batch = 8;
    extent length = 512;  ///< of the sequences
    int layers = 32;
    extent features = 4096;
    extent heads = 32;
    extent groups = 32;     ///< of heads that share keys and values; as many as heads: none share
    extent inside = 11008;  ///< features inside of a layer's gated unit
    extent vocabulary = 32'000;
    double base = 10'000;  ///< of the rotations by position
    bool tied = false;     ///< the table of tokens is the weight of the last product, too
};

namespace detail {

class llama_builder {
  public:
    llama_builder(model& m, llama_options const& options) : model_(m), options_(options) {
        auto const& [batch, length, layers, features, heads, groups, inside, vocabulary, base, tied] = options;
        if (heads < 1 || features % heads != 0 || features / heads % 2 != 0)
            throw bad_graph("llama: " + std::to_string(features) + " features cannot be divided among " +
                            std::to_string(heads) + " heads of an even size");
        if (groups < 1 || heads % groups != 0)
            throw bad_graph("llama: " + std::to_string(heads) + " heads cannot be divided into " +
                            std::to_string(groups) + " groups");
    }

    /// Rows, as everything is but inside of an attention.
    [[nodiscard]] auto block(std::string const& name, operand x) -> operand {
        auto y = attention(name + ".attention", model_.append(name + ".norm1", rms_norm{}, {x}));
        x = model_.append(name + ".add1", add{}, {y, x});
        y = model_.append(name + ".norm2", rms_norm{}, {x});
        auto const gate = product(name + ".mlp.gate", options_.inside, y);
        auto const up = product(name + ".mlp.up", options_.inside, y);
        y = model_.append(name + ".mlp.silu", silu{}, {gate});
        y = model_.append(name + ".mlp.gated", multiply{}, {y, up});
        y = product(name + ".mlp.down", options_.features, y);
        return model_.append(name + ".add2", add{}, {y, x});
    }

    [[nodiscard]] auto product(std::string const& name, extent features, operand x,
                               std::vector<std::uint32_t> const& shared = {}) -> operand {
        linear const what{features, false};
        return shared.empty() ? model_.append(name, what, {x}) : model_.append(name, what, {x}, shared);
    }

  private:
    /// Several heads, masked so that no position sees a later one. The heads of a group are rows of one product.
    [[nodiscard]] auto attention(std::string const& name, operand x) -> operand {
        auto const [batch, length, heads, groups] =
            std::tuple{options_.batch, options_.length, options_.heads, options_.groups};
        auto const size = options_.features / heads;
        auto const products = checked_multiply(batch, groups, "heads");
        auto const rows = checked_multiply(heads / groups, length, "rows of a group");
        auto const by_head = [&](std::string const& what, extent count) {
            auto y = product(name + what, checked_multiply(count, size), x);
            y = model_.append(name + what + ".heads", reshape{{batch, length, count, size}}, {y});
            return model_.append(name + what + ".by_head", transpose{1, 2}, {y});
        };
        auto const matrices = [&](std::string const& what, operand y) {
            auto const n = model_.tensor_of(y).volume() / products / size;
            return model_.append(name + what + ".matrices", reshape{{products, n, size}}, {y});
        };
        auto const queries = matrices(".query", rotated(name + ".query.rotated", by_head(".query", heads)));
        auto keys = matrices(".key", rotated(name + ".key.rotated", by_head(".key", groups)));
        keys = model_.append(name + ".key.transpose", transpose{1, 2}, {keys});
        auto const copied = model_.append(name + ".value.copy", contiguous{}, {by_head(".value", groups)});
        auto const values = matrices(".value", copied);
        auto y = model_.append(name + ".scores", batched_product{}, {queries, keys});
        y = model_.append(name + ".scores.by_head", reshape{{batch, heads, length, length}}, {y});
        y = model_.append(name + ".scale", scale{1 / std::sqrt(static_cast<double>(size))}, {y});
        y = model_.append(name + ".mask", causal_mask{}, {y});
        y = model_.append(name + ".softmax", softmax{}, {y});
        y = model_.append(name + ".weights.matrices", reshape{{products, rows, length}}, {y});
        y = model_.append(name + ".sums", batched_product{}, {y, values});
        y = model_.append(name + ".sums.by_head", reshape{{batch, heads, length, size}}, {y});
        y = model_.append(name + ".sums.heads", transpose{1, 2}, {y});
        y = model_.append(name + ".sums.copy", contiguous{}, {y});
        y = model_.append(name + ".sums.rows", reshape{{batch * length, options_.features}}, {y});
        return product(name + ".projection", options_.features, y);
    }

    /// All rotations have one table.
    [[nodiscard]] auto rotated(std::string const& name, operand x) -> operand {
        rotary_embedding const what{options_.base};
        if (!table_.empty()) return model_.append(name, what, {x}, table_);
        x = model_.append(name, what, {x});
        table_ = model_.operations()[x.index].parameters;
        return x;
    }

    model& model_;
    llama_options const& options_;
    std::vector<std::uint32_t> table_{};
};

}  // namespace detail

/// A transformer decoder after Llama (Touvron et al. 2023; groups as Ainslie et al. 2023), trained to predict the next
/// token: norms by the root of the mean square, rotations by position, gated units, no biases.
[[nodiscard]] inline auto llama(llama_options const& options, std::string name = "llama") -> model {
    model m(std::move(name));
    detail::llama_builder blocks(m, options);
    auto const tokens = m.add_input("tokens", {{options.batch, options.length}, element::int64});
    auto x = m.append("tokens", embedding{options.vocabulary, options.features}, {tokens});
    auto const table = m.operations()[x.index].parameters;
    auto const rows = checked_multiply(options.batch, options.length, "rows");
    x = m.append("rows", reshape{{rows, options.features}}, {x});
    for (int i = 1; i <= options.layers; ++i) x = blocks.block("block" + std::to_string(i), x);
    x = m.append("norm", rms_norm{}, {x});
    x = blocks.product("classifier", options.vocabulary, x, options.tied ? table : std::vector<std::uint32_t>{});
    add_loss(m, x);
    return m;
}

}  // namespace repebble::networks

#endif
