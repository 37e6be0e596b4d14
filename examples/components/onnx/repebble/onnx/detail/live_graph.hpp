#ifndef REPEBBLE_ONNX_DETAIL_LIVE_GRAPH_HPP
#define REPEBBLE_ONNX_DETAIL_LIVE_GRAPH_HPP

// The part of a flat ONNX graph that runs in every run: what its values are made of, which initializers may be trained,
// and to which values results send a gradient. network_builder.hpp makes nodes of it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <ranges>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <repebble/detail/sort_unique.hpp>
#include <repebble/io/network_node.hpp>
#include <repebble/io/read_account.hpp>
#include <repebble/onnx/detail/element_size.hpp>
#include <repebble/onnx/detail/gradient_reads.hpp>
#include <repebble/onnx/detail/onnx_inline.hpp>
#include <repebble/onnx/detail/onnx_preparation.hpp>
#include <repebble/onnx/detail/onnx_rules.hpp>
#include <repebble/onnx/detail/operator_domain.hpp>
#include <repebble/onnx/onnx_known.hpp>
#include <repebble/onnx/onnx_model.hpp>

namespace repebble::inline v0::io::detail {

/// Kinds of values.
enum class value_place : std::uint8_t { outside, constant, node };
/// Where a value comes from.
struct value_source {
    value_place is = value_place::constant;
    std::string outside{};                    // the input, where it is one or a view of one
    node_output of{};                         // the output of a node
    bool passes_gradient = false;             // a gradient arrives at it
    std::vector<std::uint32_t> parameters{};  // of a constant: the initializers that it is made of
    std::vector<std::uint32_t> trains{};      // … those to which a gradient that arrives at it is sent on
};

/// An initializer, and what training does with it.
struct used_parameter {
    std::string name;
    onnx_tensor const* tensor;
    bool gets_gradient = false, read = false, trained = false;
};

/// Sources of values, operands, and what runs, of one graph. The builder adds the sources of outputs of live nodes.
class live_graph {
  public:
    /// known: of all values that the graph names.  Requires: all outlive it.
    live_graph(onnx_model const& model, std::map<std::string, onnx_known> const& known, read_account const& account)
        : model_(model), known_(known), account_(account) {
        for (auto const& [name, tensor] : model_.graph.initializers) add_initializer(name, tensor);
        for (auto const& node : model_.graph.nodes) {
            gradient_reads const table(node.op_type, node.domain);
            std::size_t letters = 0;
            for (auto const* const names : {&node.inputs, &node.outputs})
                for (auto const& name : *names) letters += 256 + 4 * name.size();  // here and in maps of values
            account_.spend(64 + letters / 64, 256 + letters, [&] { return onnx_node_text(node); });
            auto& own = operands.emplace_back(node.inputs);
            captured_values(own, account_).add(node);
            std::set<std::string> inside;
            for_each_inner_graph(node, [&](onnx_graph const& g) { inside.merge(gradient_targets(g)); });
            auto& passing = passes.emplace_back();
            for (std::size_t j = 0; j < own.size(); ++j)
                passing.push_back(j < node.inputs.size() ? table.passes(j) : inside.contains(own[j]));
            add_inner_initializers(node, prefix_of(node) + "::", true, own, passing);
        }
        for (auto const* const input : given_inputs(model_.graph))
            sources[input->name] = {.is = value_place::outside, .outside = input->name};
        find_live();
        find_gradients();
        bool const any_trained = choose_trained();
        for (auto const* const input : given_inputs(model_.graph))
            sources[input->name].passes_gradient = !any_trained && carries_gradient(input->type);
    }

    [[nodiscard]] auto find_known(std::string const& name) const -> onnx_known const* {
        auto const found = known_.find(name);
        return found == known_.end() ? nullptr : &found->second;
    }
    [[nodiscard]] auto is_real_value(std::string const& name) const -> bool {
        auto const* const known = find_known(name);
        return known != nullptr && carries_gradient(known->type);
    }
    /// Whether output k of a node may have a gradient: it is real, and no running statistics.
    [[nodiscard]] auto may_get_gradient(onnx_node const& node, std::size_t k) const -> bool {
        bool const statistics = k > 0 && node.op_type == "BatchNormalization" && is_onnx_domain(node.domain);
        return is_real_value(node.outputs[k]) && !statistics;
    }
    /// True where a result sends a gradient to an output of the node.
    [[nodiscard]] auto sends_gradient(onnx_node const& node) const -> bool {
        for (std::size_t k = 0; k < node.outputs.size(); ++k)
            if (may_get_gradient(node, k) && gets_gradient_.contains(node.outputs[k])) return true;
        return false;
    }

    std::map<std::string, value_source> sources;  // by the names of values
    std::vector<used_parameter> parameters;
    std::vector<std::vector<std::string>> operands;  // per ONNX node: its inputs, then what its graphs read and have
    std::vector<std::vector<bool>> passes;           // … and whether the node sends a gradient to each
    std::vector<bool> live;                          // per ONNX node
    std::set<std::string, std::less<>> wanted;       // values that live nodes read, and results

  private:
    /// Whether a node, or one of a graph inside of it, draws numbers: it makes others in every run.
    [[nodiscard]] auto draws(onnx_node const& node) const -> bool {
        bool any = is_onnx_domain(node.domain) && is_random(node.op_type);
        if (node.op_type == "Dropout" && is_onnx_domain(node.domain) && node.inputs.size() > 2) {
            auto const* const training = find_known(node.inputs[2]);
            any = training != nullptr && training->integers == std::vector<std::int64_t>{1};
        }
        for_each_inner_graph(node, [&](onnx_graph const& g) {
            any = any || std::ranges::any_of(g.nodes, [&](auto const& n) { return draws(n); });
        });
        return any;
    }

    // ---- initializers ---------------------------------------------------------------------------------------------

    void add_initializer(std::string const& name, onnx_tensor const& tensor) {
        auto& source = sources[name];
        source = {.is = value_place::constant};
        if (traits_of(tensor.type) == nullptr) return;
        source.parameters.push_back(static_cast<std::uint32_t>(parameters.size()));
        source.trains = source.parameters;
        parameters.push_back({name, &tensor});
    }
    /// Adds the initializers that graphs inside of a node read to its operands, under names of their own, and whether
    /// a gradient passes to each, where one arrives at the node.
    void add_inner_initializers(onnx_node const& node, std::string const& prefix, bool arrives,
                                std::vector<std::string>& own, std::vector<bool>& passing) {
        for_each_inner_graph(node, [&](onnx_graph const& g) {
            std::vector<std::string> read;
            for (auto const& n : g.nodes) {
                auto names = n.inputs;
                captured_values(names, account_).add(n);
                read.insert(read.end(), names.begin(), names.end());
            }
            for (auto const& output : g.outputs) read.push_back(output.name);
            repebble::detail::sort_unique(read);
            auto const targets = gradient_targets(g);
            for (auto const& [inner, tensor] : g.initializers) {
                if (!std::ranges::binary_search(read, inner)) continue;
                account_.spend(8, 1024 + 4 * (prefix.size() + inner.size()),
                               [&] { return "initializer '" + inner + "'"; });
                auto const base = prefix + inner;
                auto name = first_free(base, base, names_of_base_[base], [&](auto const& one) {
                    return !sources.contains(one) && !known_.contains(one);
                });
                add_initializer(name, tensor);
                own.push_back(std::move(name));
                passing.push_back(arrives && targets.contains(inner));
            }
            for (auto const& n : g.nodes)
                add_inner_initializers(n, prefix, arrives && sends_on(n, targets), own, passing);
        });
    }
    [[nodiscard]] static auto sends_on(onnx_node const& node, std::set<std::string> const& targets) -> bool {
        return std::ranges::any_of(node.outputs, [&](auto const& name) { return targets.contains(name); });
    }
    /// The values that the results of a graph inside of a node send a gradient to, as far as operators tell.
    [[nodiscard]] auto gradient_targets(onnx_graph const& g) const -> std::set<std::string> {
        std::set<std::string> targets;
        for (auto const& output : g.outputs) targets.insert(output.name);
        for (auto const& node : g.nodes | std::views::reverse) {
            account_.spend(64 + 8 * (node.inputs.size() + node.outputs.size()), 0,
                           [&] { return onnx_node_text(node); });
            if (!sends_on(node, targets)) continue;
            gradient_reads const table(node.op_type, node.domain);
            for (std::size_t j = 0; j < node.inputs.size(); ++j)
                if (table.passes(j)) targets.insert(node.inputs[j]);
            for_each_inner_graph(node, [&](onnx_graph const& inner) { targets.merge(gradient_targets(inner)); });
        }
        return targets;
    }

    // ---- which nodes run ------------------------------------------------------------------------------------------

    /// Finds the operands of each node, what is constant, and the nodes that results depend on.
    void find_live() {
        auto const& nodes = model_.graph.nodes;
        std::set<std::string, std::less<>> running;  // made in every run
        for (auto const& [name, source] : sources)
            if (source.is == value_place::outside) running.insert(name);
        std::vector<bool> runs(nodes.size());
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            auto const& own = operands[i];
            auto const is_running = [&](auto const& name) { return running.contains(name); };
            runs[i] =
                (draws(nodes[i]) || std::ranges::any_of(own, is_running)) &&
                !std::ranges::all_of(nodes[i].outputs, [&](auto const& name) {
                    auto const* const known = find_known(name);
                    return name.empty() || (known != nullptr && (known->constant || known->integers || known->reals));
                });
            for (auto const& name : nodes[i].outputs) {
                if (name.empty()) continue;
                if (runs[i]) running.insert(name);
                auto& source = sources[name];
                if (runs[i]) continue;
                for (std::size_t j = 0; j < own.size(); ++j) {
                    if (own[j].empty()) continue;
                    auto const& from = sources.at(own[j]);
                    auto const added = from.parameters.size() + from.trains.size();
                    account_.spend(1 + added, 8 * added, [&] { return onnx_node_text(nodes[i]); });
                    source.parameters.insert(source.parameters.end(), from.parameters.begin(), from.parameters.end());
                    if (is_real_value(name) && passes[i][j])
                        source.trains.insert(source.trains.end(), from.trains.begin(), from.trains.end());
                }
                repebble::detail::sort_unique(source.parameters);
                repebble::detail::sort_unique(source.trains);
            }
        }
        for (auto const& output : model_.graph.outputs) wanted.insert(output.name);
        live.assign(nodes.size(), false);
        for (std::size_t i = nodes.size(); i-- > 0;) {
            live[i] = runs[i] &&
                      std::ranges::any_of(nodes[i].outputs, [&](auto const& name) { return wanted.contains(name); });
            if (live[i]) wanted.insert(operands[i].begin(), operands[i].end());
        }
    }

    // ---- gradients ------------------------------------------------------------------------------------------------

    /// Finds the values, and of constants the parameters, that a gradient is sent to from the results.
    void find_gradients() {
        auto const& nodes = model_.graph.nodes;
        for (auto const& output : model_.graph.outputs) gets_gradient_.insert(output.name);
        for (std::size_t i = nodes.size(); i-- > 0;) {
            if (!live[i] || !sends_gradient(nodes[i])) continue;
            for (std::size_t j = 0; j < operands[i].size(); ++j)
                if (auto const& read = operands[i][j]; !read.empty() && passes[i][j]) {
                    gets_gradient_.insert(read);
                    for (auto const p : sources.at(read).trains) parameters[p].gets_gradient = true;
                }
        }
    }
    /// Chooses the parameters that are trained: floating-point initializers of more than one element at which a
    /// gradient arrives; where there are none, constants, as some exporters write weights. Whether there are any.
    [[nodiscard]] auto choose_trained() -> bool {
        bool any = false;
        for (bool const constants : {false, true}) {
            if (any) break;
            for (auto& p : parameters) {
                p.trained = p.gets_gradient && p.tensor->is_constant == constants && carries_gradient(p.tensor->type) &&
                            std::ranges::any_of(p.tensor->shape, [](auto const extent) { return extent > 1; }) &&
                            std::ranges::find(p.tensor->shape, 0) == p.tensor->shape.end();
                any = any || p.trained;
            }
        }
        return any;
    }

    onnx_model const& model_;
    std::map<std::string, onnx_known> const& known_;
    read_account const& account_;
    std::set<std::string, std::less<>> gets_gradient_;  // values that results send a gradient to
    std::map<std::string, std::size_t>
        names_of_base_;  // of inner initializers: how many numbers behind a name are used
};

}  // namespace repebble::inline v0::io::detail

#endif
