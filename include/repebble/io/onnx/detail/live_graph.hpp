#ifndef REPEBBLE_IO_ONNX_DETAIL_LIVE_GRAPH_HPP
#define REPEBBLE_IO_ONNX_DETAIL_LIVE_GRAPH_HPP

// The part of a flat ONNX graph that runs in every run: what its values are made of, which initializers may be trained,
// and to which values results send a gradient. network_builder.hpp makes nodes of it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <repebble/detail/sort_unique.hpp>
#include <repebble/io/network_node.hpp>
#include <repebble/io/onnx/detail/element_size.hpp>
#include <repebble/io/onnx/detail/gradient_reads.hpp>
#include <repebble/io/onnx/detail/onnx_inline.hpp>
#include <repebble/io/onnx/detail/onnx_preparation.hpp>
#include <repebble/io/onnx/detail/operator_domain.hpp>
#include <repebble/io/onnx/onnx_known.hpp>
#include <repebble/io/onnx/onnx_model.hpp>

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
    /// known: of all values that the graph names.  Requires: both outlive it.
    live_graph(onnx_model const& model, std::map<std::string, onnx_known> const& known) : model_(model), known_(known) {
        for (auto const& [name, tensor] : model_.graph.initializers) add_initializer(name, tensor);
        for (auto const& node : model_.graph.nodes) {
            auto& own = operands.emplace_back(node.inputs);
            add_captured(node, {}, own);
            add_inner_initializers(node, node.outputs.empty() ? node.name : node.outputs.front(), own);
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
    /// True where a result sends a gradient to an output of the node.
    [[nodiscard]] auto sends_gradient(onnx_node const& node) const -> bool {
        return std::ranges::any_of(
            node.outputs, [&](auto const& name) { return is_real_value(name) && gets_gradient_.contains(name); });
    }

    std::map<std::string, value_source> sources;  // by the names of values
    std::vector<used_parameter> parameters;
    std::vector<std::vector<std::string>> operands;  // per ONNX node: its inputs, then what its graphs read and have
    std::vector<bool> live;                          // per ONNX node
    std::set<std::string, std::less<>> wanted;       // values that live nodes read, and results

  private:
    [[nodiscard]] static auto is_random(std::string_view op) -> bool {
        return op.starts_with("Random") || op == "Bernoulli" || op == "Multinomial";
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
    /// Adds the initializers of the graphs inside of a node to its operands, under names of their own.
    void add_inner_initializers(onnx_node const& node, std::string const& prefix, std::vector<std::string>& own) {
        for_each_inner_graph(node, [&](onnx_graph const& g) {
            for (auto const& [inner, tensor] : g.initializers) {
                auto name = prefix + "::" + inner;
                while (sources.contains(name)) name += '_';
                add_initializer(name, tensor);
                own.push_back(std::move(name));
            }
            for (auto const& n : g.nodes) add_inner_initializers(n, prefix, own);
        });
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
                (is_random(operator_name(nodes[i])) || std::ranges::any_of(own, is_running)) &&
                !std::ranges::all_of(nodes[i].outputs, [&](auto const& name) {
                    auto const* const known = find_known(name);
                    return name.empty() || (known != nullptr && (known->constant || known->integers || known->reals));
                });
            for (auto const& name : nodes[i].outputs) {
                if (name.empty()) continue;
                if (runs[i]) running.insert(name);
                auto& source = sources[name];
                if (runs[i]) continue;
                gradient_reads const table(nodes[i].op_type, nodes[i].domain);
                for (std::size_t j = 0; j < own.size(); ++j) {
                    if (own[j].empty()) continue;
                    auto const& from = sources.at(own[j]);
                    source.parameters.insert(source.parameters.end(), from.parameters.begin(), from.parameters.end());
                    if (is_real_value(name) && table.passes(j))
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
            gradient_reads const table(nodes[i].op_type, nodes[i].domain);
            for (std::size_t j = 0; j < operands[i].size(); ++j)
                if (auto const& read = operands[i][j]; !read.empty() && table.passes(j)) {
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
    std::set<std::string, std::less<>> gets_gradient_;  // values that results send a gradient to
};

}  // namespace repebble::inline v0::io::detail

#endif
