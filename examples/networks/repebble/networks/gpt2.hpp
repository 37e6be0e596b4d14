#ifndef REPEBBLE_NETWORKS_GPT2_HPP
#define REPEBBLE_NETWORKS_GPT2_HPP

#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>

#include <repebble/graph/error.hpp>
#include <repebble/networks/layers.hpp>
#include <repebble/networks/model.hpp>

namespace repebble::networks {

/// What a transformer like GPT-2 may be like. The defaults are those of GPT-2 small.
struct gpt2_options {
    extent batch = 8;
    extent length = 512;  ///< of the sequences, and of the table of positions
    int layers = 12;
    extent features = 768;
    extent heads = 12;
    extent vocabulary = 50257;
    double dropout = 0.1;  ///< 0: there is none
};

namespace detail {

class gpt2_builder {
  public:
    gpt2_builder(model& m, gpt2_options const& options) : model_(m), options_(options) {
        if (options.heads < 1 || options.features % options.heads != 0)
            throw bad_graph("gpt2: " + std::to_string(options.features) + " features cannot be divided among " +
                            std::to_string(options.heads) + " heads");
    }

    [[nodiscard]] auto block(std::string const& name, operand x) -> operand {
        auto y = attention(name + ".attention", model_.append(name + ".norm1", layer_norm{}, {x}));
        x = model_.append(name + ".add1", add{}, {dropped(name + ".attention", y), x});
        y = rows(name + ".mlp.rows", model_.append(name + ".norm2", layer_norm{}, {x}));
        y = model_.append(name + ".mlp.up", linear{4 * options_.features}, {y});
        y = model_.append(name + ".mlp.gelu", gelu{}, {y});
        y = model_.append(name + ".mlp.down", linear{options_.features}, {y});
        y = sequences(name + ".mlp.sequences", y);
        return model_.append(name + ".add2", add{}, {dropped(name + ".mlp", y), x});
    }

    [[nodiscard]] auto dropped(std::string const& name, operand x) -> operand {
        return options_.dropout == 0 ? x : model_.append(name + ".dropout", dropout{options_.dropout}, {x});
    }
    [[nodiscard]] auto rows(std::string const& name, operand x) -> operand {
        auto const count = checked_multiply(options_.batch, options_.length, "rows");
        return model_.append(name, reshape{{count, model_.tensor_of(x).shape.back()}}, {x});
    }

  private:
    [[nodiscard]] auto sequences(std::string const& name, operand x) -> operand {
        return model_.append(name, reshape{{options_.batch, options_.length, model_.tensor_of(x).shape.back()}}, {x});
    }

    /// Several heads, masked so that no position sees a later one.
    [[nodiscard]] auto attention(std::string const& name, operand x) -> operand {
        auto const [batch, length, heads] = std::tuple{options_.batch, options_.length, options_.heads};
        auto const size = options_.features / heads;
        auto const products = checked_multiply(batch, heads, "heads");
        x = model_.append(name + ".qkv", linear{3 * options_.features}, {rows(name + ".rows", x)});
        auto const parts = model_.append(name + ".parts", split{3}, {sequences(name + ".qkv.sequences", x)});
        // Of each head its own matrix, one after the other.
        auto const matrices = [&](char const* what, std::uint32_t part, bool transposed) {
            auto const prefix = name + "." + what;
            auto y = model_.append(prefix + ".heads", reshape{{batch, length, heads, size}}, {output_of(parts, part)});
            y = model_.append(prefix + ".by_head", transpose{1, 2}, {y});
            if (transposed) y = model_.append(prefix + ".transpose", transpose{2, 3}, {y});
            y = model_.append(prefix + ".copy", contiguous{}, {y});
            auto const& shape = model_.tensor_of(y).shape;
            return model_.append(prefix + ".matrices", reshape{{products, shape[2], shape[3]}}, {y});
        };
        auto const queries = matrices("query", 0, false);
        auto const keys = matrices("key", 1, true);
        auto y = model_.append(name + ".scores", batched_product{}, {queries, keys});
        y = model_.append(name + ".scores.by_head", reshape{{batch, heads, length, length}}, {y});
        y = model_.append(name + ".scale", scale{1 / std::sqrt(static_cast<double>(size))}, {y});
        y = model_.append(name + ".mask", causal_mask{}, {y});
        y = model_.append(name + ".softmax", softmax{}, {y});
        y = dropped(name + ".weights", y);
        y = model_.append(name + ".weights.matrices", reshape{{products, length, length}}, {y});
        y = model_.append(name + ".sums", batched_product{}, {y, matrices("value", 2, false)});
        y = model_.append(name + ".sums.by_head", reshape{{batch, heads, length, size}}, {y});
        y = model_.append(name + ".sums.heads", transpose{1, 2}, {y});
        y = model_.append(name + ".sums.copy", contiguous{}, {y});
        y = model_.append(name + ".sums.rows", reshape{{batch * length, options_.features}}, {y});
        y = model_.append(name + ".projection", linear{options_.features}, {y});
        return sequences(name + ".sequences", y);
    }

    model& model_;
    gpt2_options const& options_;
};

}  // namespace detail

/// A transformer decoder after GPT-2 (Radford et al. 2019), trained to predict the next token. The table of tokens is
/// the weight of the last product, too.
[[nodiscard]] inline auto gpt2(gpt2_options const& options, std::string name = "gpt2") -> model {
    model m(std::move(name));
    detail::gpt2_builder blocks(m, options);
    auto const tokens = m.add_input("tokens", {{options.batch, options.length}, element::int64});
    auto x = m.append("tokens", embedding{options.vocabulary, options.features}, {tokens});
    auto const table = m.operations()[x.index].parameters;
    auto const positions = m.append("positions", position_embedding{options.length, options.features}, {});
    x = blocks.dropped("embedding", m.append("embedding.add", add{}, {x, positions}));
    for (int i = 1; i <= options.layers; ++i) x = blocks.block("block" + std::to_string(i), x);
    x = m.append("norm", layer_norm{}, {x});
    x = m.append("classifier", linear{options.vocabulary, false}, {blocks.rows("rows", x)}, table);
    add_loss(m, x);
    return m;
}

}  // namespace repebble::networks

#endif
