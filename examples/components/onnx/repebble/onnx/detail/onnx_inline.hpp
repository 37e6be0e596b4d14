#ifndef REPEBBLE_ONNX_DETAIL_ONNX_INLINE_HPP
#define REPEBBLE_ONNX_DETAIL_ONNX_INLINE_HPP

// Inlining of an ONNX model's functions and of branches whose condition is known: nodes are copied, values renamed.
// onnx_flatten.hpp calls it.

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <repebble/detail/raise.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/onnx/detail/onnx_call.hpp>
#include <repebble/onnx/detail/onnx_generators.hpp>
#include <repebble/onnx/detail/onnx_inference.hpp>
#include <repebble/onnx/detail/onnx_rules.hpp>
#include <repebble/onnx/onnx_known.hpp>
#include <repebble/onnx/onnx_model.hpp>

namespace repebble::inline v0::io::detail {

/// A model that unfolds to more nodes is refused: calls of functions that double at each level.
inline constexpr std::size_t most_inlined_nodes = 1'000'000;

/// Functions that call functions, and graphs inside of graphs, go no deeper than this.
inline constexpr std::size_t deepest_nesting = 200;

/// Calls f with each graph inside of a node.
template <class Node, class F>
void for_each_inner_graph(Node& node, F&& f) {
    for (auto& attribute : node.attributes)
        if (auto* graphs = std::get_if<std::vector<onnx_graph>>(&attribute.value))
            for (auto& graph : *graphs) f(graph);
}

/// New names of values: those of the map, and all others with a prefix.
struct onnx_renaming {
    std::map<std::string, std::string> names{};
    std::string prefix{};

    void apply(std::string& name) const {
        if (name.empty()) return;
        auto const found = names.find(name);
        name = found != names.end() ? found->second : prefix + name;
    }
    void apply(onnx_node& node) const {
        for (auto& name : node.inputs) apply(name);
        for (auto& name : node.outputs) apply(name);
        for_each_inner_graph(node, [&](onnx_graph& graph) { apply(graph); });
    }
    void apply(onnx_graph& graph) const {
        for (auto& node : graph.nodes) apply(node);
        for (auto* list : {&graph.inputs, &graph.outputs, &graph.values})
            for (auto& value : *list) apply(value.name);
        std::map<std::string, onnx_tensor> renamed;
        for (auto& [name, tensor] : graph.initializers) {
            auto key = name;
            apply(key);
            renamed.emplace(std::move(key), std::move(tensor));
        }
        graph.initializers = std::move(renamed);
    }
};

[[nodiscard]] inline auto identity_node(std::string const& from, std::string const& to) -> onnx_node {
    return {.name = to, .op_type = "Identity", .inputs = {from}, .outputs = {to}};
}

/// Names of values that come from a call or a branch begin with this: the first output is there once in the graph.
[[nodiscard]] inline auto prefix_of(onnx_node const& node) -> std::string {
    auto const* const wanted = first_output(node);
    return (wanted != nullptr ? *wanted : node.name) + "::";
}

/// Replaces calls of a model's functions by their nodes, also in graphs inside of nodes and in functions.
class onnx_function_inliner {
  public:
    explicit onnx_function_inliner(std::vector<onnx_function> const& functions) {
        for (auto const& function : functions)
            functions_.emplace(key(function.domain, function.name, function.overload), &function);
    }

    /// Throws bad_graph, naming the node, where a function calls itself or there would be too many nodes.
    void check(std::vector<onnx_node> const& nodes) { static_cast<void>(unfolded_size(nodes, 0)); }

    void run(std::vector<onnx_node>& nodes) {
        std::vector<onnx_node> result;
        result.reserve(nodes.size());
        for (auto& node : nodes) {
            if (auto const* function = called_by(node)) {
                expand(node, *function, result);
                continue;
            }
            for_each_inner_graph(node, [&](onnx_graph& graph) { run(graph.nodes); });
            result.push_back(std::move(node));
        }
        nodes = std::move(result);
    }

  private:
    using key_type = std::tuple<std::string, std::string, std::string>;

    [[nodiscard]] static auto key(std::string const& domain, std::string const& name, std::string const& overload)
        -> key_type {
        return {is_onnx_domain(domain) ? std::string() : domain, name, overload};
    }

    [[nodiscard]] auto called_by(onnx_node const& node) const -> onnx_function const* {
        auto const found = functions_.find(key(node.domain, node.op_type, node.overload));
        return found != functions_.end() ? found->second : nullptr;
    }

    [[noreturn]] static void fail(onnx_node const& node, char const* why) {
        repebble::detail::raise(bad_graph(onnx_node_text(node) + ": " + why));
    }

    /// The number of nodes after inlining. The size of a function is found once; none while it is being found.
    [[nodiscard]] auto unfolded_size(std::vector<onnx_node> const& nodes, std::size_t depth) -> std::size_t {
        std::size_t size = 0;
        for (auto const& node : nodes) {
            auto const* function = called_by(node);
            if (depth > deepest_nesting) fail(node, "the model is nested too deeply");
            if (!function) {
                ++size;
                for_each_inner_graph(node,
                                     [&](onnx_graph const& graph) { size += unfolded_size(graph.nodes, depth + 1); });
            } else {
                auto const [entry, fresh] = sizes_.try_emplace(function);
                if (fresh) {
                    auto const found = unfolded_size(function->nodes, depth + 1);
                    sizes_[function] = found;
                } else if (!entry->second) {
                    fail(node, "the function calls itself");
                }
                size += *sizes_[function];
            }
            if (size > most_inlined_nodes) fail(node, "the model would unfold to more than a million nodes");
        }
        return size;
    }

    void expand(onnx_node const& call, onnx_function const& function, std::vector<onnx_node>& result) {
        if (call.inputs.size() > function.inputs.size() || call.outputs.size() > function.outputs.size())
            fail(call, "the call has more inputs or outputs than the function");
        onnx_renaming renaming{.prefix = prefix_of(call)};
        for (std::size_t i = 0; i < function.inputs.size(); ++i)
            renaming.names[function.inputs[i]] = i < call.inputs.size() ? call.inputs[i] : std::string();
        std::vector<onnx_node> copies;  // of outputs that are inputs, or the same as another
        for (std::size_t k = 0; k < call.outputs.size(); ++k) {
            if (call.outputs[k].empty()) continue;
            auto const [entry, fresh] = renaming.names.try_emplace(function.outputs[k], call.outputs[k]);
            if (!fresh) copies.push_back(identity_node(entry->second, call.outputs[k]));
        }
        auto nodes = function.nodes;
        for (auto& node : nodes) {
            resolve(node, call, function);
            node.name =
                (call.name.empty() ? call.op_type : call.name) + "/" + (node.name.empty() ? node.op_type : node.name);
            renaming.apply(node);
        }
        run(nodes);
        std::ranges::move(nodes, std::back_inserter(result));
        std::ranges::move(copies, std::back_inserter(result));
    }

    /// Gives attributes that refer to one of the call its value, or the default; neither: the attribute is left out.
    static void resolve(onnx_node& node, onnx_node const& call, onnx_function const& function) {
        std::erase_if(node.attributes, [&](onnx_attribute& attribute) {
            if (attribute.reference.empty()) return false;
            for (auto const* list : {&call.attributes, &function.defaults}) {
                auto const found = std::ranges::find(*list, attribute.reference, &onnx_attribute::name);
                if (found == list->end()) continue;
                attribute.value = found->value;
                attribute.reference.clear();
                return false;
            }
            return true;
        });
        for_each_inner_graph(node, [&](onnx_graph& graph) {
            for (auto& inner : graph.nodes) resolve(inner, call, function);
        });
    }

    std::map<key_type, onnx_function const*> functions_{};
    std::map<onnx_function const*, std::optional<std::size_t>> sizes_{};
};

/// Makes initializers of Constant nodes, also in graphs inside of nodes.
inline void constants_to_initializers(onnx_graph& graph) {
    std::erase_if(graph.nodes, [&](onnx_node& node) {
        for_each_inner_graph(node, [](onnx_graph& inner) { constants_to_initializers(inner); });
        if (node.op_type != "Constant" || !is_onnx_domain(node.domain) || node.outputs.size() != 1) return false;
        auto tensor = constant_tensor(node);
        if (tensor) tensor->is_constant = true;
        return tensor && graph.initializers.try_emplace(node.outputs[0], std::move(*tensor)).second;
    });
}

/// Values that a graph makes, graphs inside of its nodes included, each with its name under a prefix.
inline void prefix_own_names(onnx_graph const& graph, std::string const& prefix,
                             std::map<std::string, std::string>& names) {
    auto const add = [&](std::string const& name) {
        if (!name.empty()) names.try_emplace(name, prefix + name);
    };
    for (auto const& [name, tensor] : graph.initializers) add(name);
    for (auto const& input : graph.inputs) add(input.name);
    for (auto const& node : graph.nodes) {
        for (auto const& name : node.outputs) add(name);
        for_each_inner_graph(node, [&](onnx_graph const& inner) { prefix_own_names(inner, prefix, names); });
    }
}

/// Puts the nodes of a branch in the place of its `If`.
inline void inline_branch(onnx_node const& node, onnx_graph branch, onnx_graph& graph, std::vector<onnx_node>& result) {
    onnx_renaming renaming;
    std::vector<onnx_node> copies;  // of outputs that are made elsewhere, or the same as another
    std::map<std::string, std::string> made;
    for (auto const& inner : branch.nodes)
        for (auto const& name : inner.outputs) made.try_emplace(name);
    for (std::size_t k = 0; k < std::min(node.outputs.size(), branch.outputs.size()); ++k) {
        if (node.outputs[k].empty()) continue;
        auto const& from = branch.outputs[k].name;
        if (!made.contains(from) || !renaming.names.try_emplace(from, node.outputs[k]).second)
            copies.push_back(identity_node(from, node.outputs[k]));
    }
    prefix_own_names(branch, prefix_of(node), renaming.names);
    for (auto& copy : copies) renaming.apply(copy.inputs[0]);
    renaming.apply(branch);
    graph.initializers.merge(branch.initializers);
    std::ranges::move(branch.values, std::back_inserter(graph.values));
    std::ranges::move(branch.nodes, std::back_inserter(result));
    std::ranges::move(copies, std::back_inserter(result));
}

/// Conditions by the names of their values.
using known_conditions = std::map<std::string, bool>;

/// The conditions that are known inside of a graph: its own constants, and those around it that it does not hide.
[[nodiscard]] inline auto conditions_inside(onnx_graph const& graph, known_conditions known) -> known_conditions {
    for (auto const& input : graph.inputs) known.erase(input.name);
    for (auto const& node : graph.nodes)
        for (auto const& name : node.outputs) known.erase(name);
    for (auto const& [name, tensor] : graph.initializers) {
        known.erase(name);
        if (tensor.type == onnx_type::boolean && tensor.integers && tensor.integers->size() == 1)
            known[name] = tensor.integers->front() != 0;
    }
    return known;
}

/// Inlines the branches that known conditions choose, also in graphs inside of nodes.  Whether there were any.
[[nodiscard]] inline auto inline_branches(onnx_graph& graph, known_conditions const& known) -> bool {
    std::vector<onnx_node> result;
    result.reserve(graph.nodes.size());
    bool any = false;
    for (auto& node : graph.nodes) {
        auto const condition = is_branch(node) && !node.inputs.empty() ? known.find(node.inputs[0]) : known.end();
        auto const* branch =
            condition != known.end() ? inner_graph(node, condition->second ? "then_branch" : "else_branch") : nullptr;
        if (branch) {
            inline_branch(node, *branch, graph, result);
        } else {
            for_each_inner_graph(
                node, [&](onnx_graph& inner) { any = inline_branches(inner, conditions_inside(inner, known)) || any; });
            result.push_back(std::move(node));
        }
        any = any || branch;
    }
    graph.nodes = std::move(result);
    return any;
}

[[nodiscard]] inline auto has_branches(onnx_graph const& graph) -> bool {
    bool any = false;
    for (auto const& node : graph.nodes) {
        any = any || is_branch(node);
        for_each_inner_graph(node, [&](onnx_graph const& inner) { any = any || has_branches(inner); });
    }
    return any;
}

}  // namespace repebble::inline v0::io::detail

#endif
