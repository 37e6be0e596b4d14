#ifndef REPEBBLE_ONNX_DETAIL_ONNX_PREPARATION_HPP
#define REPEBBLE_ONNX_DETAIL_ONNX_PREPARATION_HPP

// What is done to an ONNX model before its shapes are inferred: names for free extents, and the batch norms that
// exporters fold into convolutions put back, where the model is to be trained.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <repebble/onnx/detail/onnx_inline.hpp>
#include <repebble/onnx/onnx_model.hpp>

namespace repebble::inline v0::io::detail {

/// Names with commas between, of many the first.
[[nodiscard]] inline auto listed(std::vector<std::string> const& names) -> std::string {
    constexpr std::size_t most = 20;
    std::string all;
    for (auto const& name : names | std::views::take(most)) all += (all.empty() ? "" : ", ") + shortened(name);
    return names.size() > most ? all + ", …" : all;
}

/// The inputs of a graph that are given in every run: old files list their initializers among the inputs, too.
template <class Graph>
[[nodiscard]] auto given_inputs(Graph& g) {
    std::vector<decltype(g.inputs.data())> all;
    for (auto& input : g.inputs)
        if (!g.initializers.contains(input.name)) all.push_back(&input);
    return all;
}

/// Gives every extent of an input that the file leaves open without a name one: `images[0]` for the first of `images`.
/// Numbers below 1 leave it open, too.
inline void name_free_extents(onnx_graph& g, read_account const& account) {
    for (auto* const input : given_inputs(g)) {
        if (!input->shape) continue;
        for (std::size_t axis = 0; axis < input->shape->size(); ++axis) {
            auto& extent = (*input->shape)[axis];
            auto const* const name = std::get_if<std::string>(&extent);
            if (name != nullptr ? name->empty() || *name == "?" : *std::get_if<std::int64_t>(&extent) < 1)
                extent = input->name + "[" + std::to_string(axis) + "]";
            account.spend(1, input->name.size(), [&] { return "input '" + input->name + "'"; });
        }
    }
}

/// The names of the open extents of inputs, in their order.
[[nodiscard]] inline auto open_extents(onnx_graph const& g) -> std::vector<std::string> {
    std::vector<std::string> names;
    std::set<std::string_view> known;
    for (auto const* const input : given_inputs(g)) {
        if (!input->shape) continue;
        for (auto const& extent : *input->shape)
            if (auto const* const name = std::get_if<std::string>(&extent);
                name != nullptr && known.insert(*name).second)
                names.push_back(*name);
    }
    return names;
}

/// The names of the extents that a batch means: those of the first extents of inputs, where any is open; else all first
/// extents that are that of the first input.
[[nodiscard]] inline auto batch_extents(onnx_graph const& g) -> std::vector<std::string> {
    std::vector<std::string> open, fixed;
    std::optional<onnx_extent> first;
    for (auto const* const input : given_inputs(g)) {
        if (!input->shape || input->shape->empty()) continue;
        auto const& extent = input->shape->front();
        if (auto const* const name = std::get_if<std::string>(&extent)) open.push_back(*name);
        if (!first) first = extent;
        if (extent == *first) fixed.push_back(input->name + "[0]");
    }
    return open.empty() ? fixed : open;
}

/// Whether a convolution had a batch norm that an exporter has folded into it: its output still has the name of a batch
/// norm's (PyTorch's exporter calls it `getitem_3`, of the norm's three results), or both its parameters have lost
/// theirs (its older exporter: `onnx::Conv_497`).
[[nodiscard]] inline auto has_folded_norm(onnx_node const& conv) -> bool {
    if (conv.op_type != "Conv" || !conv.domain.empty() || conv.outputs.size() != 1 || conv.inputs.size() < 2)
        return false;
    std::string_view const made = conv.outputs.front();
    if (made.starts_with("getitem") || made.find("batch_norm") != made.npos ||
        made.find("BatchNormalization") != made.npos)
        return true;
    return conv.inputs.size() == 3 && conv.inputs[1].starts_with("onnx::Conv_") &&
           conv.inputs[2].starts_with("onnx::Conv_");
}

/// Puts a batch norm behind every convolution that had one, in place of the bias.
inline void unfold_batch_norms(onnx_graph& g) {
    std::vector<onnx_node> nodes;
    for (auto& node : g.nodes) {
        auto const weight = has_folded_norm(node) ? g.initializers.find(node.inputs[1]) : g.initializers.end();
        if (weight == g.initializers.end() || weight->second.shape.empty()) {
            nodes.push_back(std::move(node));
            continue;
        }
        auto const& made = node.outputs.front();
        onnx_node norm{.name = node.name.empty() ? std::string() : node.name + ".norm",
                       .op_type = "BatchNormalization",
                       .inputs = {made + ".unfolded"},
                       .outputs = {made}};
        for (char const* const p : {".weight", ".bias", ".running_mean", ".running_var"}) {
            norm.inputs.push_back(made + p);
            g.initializers.insert_or_assign(made + p, onnx_tensor{weight->second.type, {weight->second.shape.front()}});
        }
        node.outputs = {made + ".unfolded"};
        node.inputs.resize(2);
        nodes.push_back(std::move(node));
        nodes.push_back(std::move(norm));
    }
    g.nodes = std::move(nodes);
}

/// The values around nodes that the graphs in their attributes read, each once, in their order.
class captured_values {
  public:
    /// Adds to a list, in which some may be.
    captured_values(std::vector<std::string>& captured, read_account const& account)
        : captured_(captured), known_(captured.begin(), captured.end()), account_(account) {}

    /// inner: the names that are no values around the node.
    void add(onnx_node const& node, std::set<std::string> const& inner = {}) {
        for_each_inner_graph(node, [&](onnx_graph const& g) {
            spend(inner.size() + g.inputs.size() + g.initializers.size(), node);
            auto own = inner;
            for (auto const& input : g.inputs) own.insert(input.name);
            for (auto const& [name, tensor] : g.initializers) own.insert(name);
            for (auto const& n : g.nodes) own.insert(n.outputs.begin(), n.outputs.end());
            auto const read = [&](std::string const& name) {
                if (!name.empty() && !own.contains(name) && known_.insert(name).second) captured_.push_back(name);
            };
            for (auto const& n : g.nodes) {
                spend(n.inputs.size() + n.outputs.size(), node);
                std::ranges::for_each(n.inputs, read);
                add(n, own);
            }
            for (auto const& output : g.outputs) read(output.name);
        });
    }

  private:
    void spend(std::size_t names, onnx_node const& node) const {
        account_.spend(8 * (1 + names), 0, [&] { return onnx_node_text(node); });
    }

    std::vector<std::string>& captured_;
    std::set<std::string> known_;
    read_account const& account_;
};

}  // namespace repebble::inline v0::io::detail

#endif
