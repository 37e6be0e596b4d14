#ifndef REPEBBLE_ONNX_DETAIL_ONNX_INLINE_HPP
#define REPEBBLE_ONNX_DETAIL_ONNX_INLINE_HPP

// Inlining of an ONNX model's functions and of branches whose condition is known: nodes are copied, values renamed.
// onnx_flatten.hpp calls it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <repebble/detail/raise.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/io/detail/shortened.hpp>
#include <repebble/io/read_account.hpp>
#include <repebble/onnx/detail/onnx_call.hpp>
#include <repebble/onnx/detail/onnx_generators.hpp>
#include <repebble/onnx/detail/onnx_inference.hpp>
#include <repebble/onnx/detail/onnx_rules.hpp>
#include <repebble/onnx/detail/tensor_elements.hpp>
#include <repebble/onnx/onnx_known.hpp>
#include <repebble/onnx/onnx_model.hpp>

namespace repebble::inline v0::io::detail {

/// Functions that call functions, and graphs inside of graphs, go no deeper than this.
inline constexpr std::size_t deepest_nesting = 200;

/// Calls f with each graph inside of a node.
template <class Node, class F>
void for_each_inner_graph(Node& node, F&& f) {
    for (auto& attribute : node.attributes)
        if (auto* graphs = std::get_if<std::vector<onnx_graph>>(&attribute.value))
            for (auto& graph : *graphs) f(graph);
}

/// About the bytes that a copy takes.  O(what is copied).
[[nodiscard]] inline auto bytes_of_copy(onnx_graph const& graph) -> std::size_t;
[[nodiscard]] inline auto bytes_of_copy(onnx_attribute const& attribute) -> std::size_t {
    std::size_t size = sizeof(onnx_attribute) + attribute.name.size();
    if (auto const* const text = std::get_if<std::string>(&attribute.value)) size += text->size();
    if (auto const* const list = std::get_if<std::vector<std::int64_t>>(&attribute.value)) size += 8 * list->size();
    if (auto const* const list = std::get_if<std::vector<double>>(&attribute.value)) size += 8 * list->size();
    if (auto const* const list = std::get_if<std::vector<std::string>>(&attribute.value))
        for (auto const& text : *list) size += sizeof text + text.size();
    if (auto const* const tensor = std::get_if<onnx_tensor>(&attribute.value))
        size += 8 * (tensor->shape.size() + tensor_elements::most);
    if (auto const* const graphs = std::get_if<std::vector<onnx_graph>>(&attribute.value))
        for (auto const& graph : *graphs) size += bytes_of_copy(graph);
    return size;
}
[[nodiscard]] inline auto bytes_of_copy(onnx_node const& node) -> std::size_t {
    std::size_t size = sizeof(onnx_node) + node.name.size() + node.op_type.size();
    for (auto const* const names : {&node.inputs, &node.outputs})
        for (auto const& name : *names) size += sizeof name + name.size();
    for (auto const& attribute : node.attributes) size += bytes_of_copy(attribute);
    return size;
}
[[nodiscard]] inline auto bytes_of_copy(onnx_graph const& graph) -> std::size_t {
    std::size_t size = sizeof(onnx_graph);
    for (auto const& node : graph.nodes) size += bytes_of_copy(node);
    for (auto const* const list : {&graph.inputs, &graph.outputs, &graph.values})
        for (auto const& value : *list)
            size += sizeof value + value.name.size() + (value.shape ? sizeof(onnx_extent) * value.shape->size() : 0);
    for (auto const& [name, tensor] : graph.initializers)
        size += 64 + sizeof tensor + name.size() + 8 * tensor.shape.size() +
                8 * (tensor.integers ? tensor.integers->size() : 0) + 8 * (tensor.reals ? tensor.reals->size() : 0);
    return size;
}

/// New names of values: those of the map, and all others with a prefix. Spends for their letters.
struct onnx_renaming {
    read_account const& account;
    std::map<std::string, std::string> names{};
    std::string prefix{};

    void apply(std::string& name) const {
        if (name.empty()) return;
        auto const found = names.find(name);
        name = found != names.end() ? found->second : prefix + name;
        account.spend(1 + name.size() / 16, name.size(), [&] { return "value '" + shortened(name) + "'"; });
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

/// Prefix, before `::`, of the names of values that come from a node: the first output is there once in the graph.
[[nodiscard]] inline auto prefix_of(onnx_node const& node) -> std::string const& {
    auto const* const wanted = first_output(node);
    return wanted != nullptr ? *wanted : node.name;
}

/// The first of name, base_2, base_3, … that is free. used: how many numbers are tried already.
template <class IsFree>
[[nodiscard]] auto first_free(std::string name, std::string const& base, std::size_t& used, IsFree const& is_free)
    -> std::string {
    while (!is_free(name)) name = base + "_" + std::to_string(++used + 1);
    return name;
}

/// The names of a graph's values, and prefixes with which none of them begins: for values that come from calls and
/// branches. An output of an inner call may be one of the outer call, too, and a graph may have any name itself.
class onnx_value_names {
  public:
    explicit onnx_value_names(read_account const& account) : account_(account) {}

    void add(std::vector<onnx_node> const& nodes) {
        for (auto const& node : nodes) {
            for (auto const& name : node.outputs) add(name);
            for_each_inner_graph(node, [&](onnx_graph const& graph) { add(graph); });
        }
    }
    void add(onnx_graph const& graph) {
        for (auto const& [name, tensor] : graph.initializers) add(name);
        for (auto const& input : graph.inputs) add(input.name);
        add(graph.nodes);
    }
    /// A prefix for the values that a node becomes.
    [[nodiscard]] auto free_prefix(onnx_node const& node) -> std::string {
        auto const& base = prefix_of(node);
        auto const is_free = [&](std::string const& one) {
            auto const from = names_.lower_bound(one + "::");
            account_.spend(1 + one.size() / 16, 0, [&] { return onnx_node_text(node); });
            return from == names_.end() || !from->starts_with(one + "::");
        };
        return first_free(base, base, used_[base], is_free) + "::";
    }

  private:
    void add(std::string const& name) {
        account_.spend(1 + name.size() / 16, 96 + name.size(), [&] { return "value '" + name + "'"; });
        names_.insert(name);
    }

    read_account const& account_;
    std::set<std::string> names_;
    std::map<std::string, std::size_t> used_;  // of each prefix: how many numbers behind it are tried
};

/// Replaces calls of a model's functions by their nodes, also in graphs inside of nodes and in functions.
class onnx_function_inliner {
  public:
    /// names: all of the graph's. Spends for each copy of a node.
    onnx_function_inliner(std::vector<onnx_function> const& functions, onnx_value_names& names,
                          read_account const& account)
        : names_(names), account_(account) {
        for (auto const& function : functions)
            functions_.emplace(key(function.domain, function.name, function.overload), &function);
    }

    /// Throws bad_graph, naming the node, where a function calls itself.
    void check(std::vector<onnx_node> const& nodes, std::size_t depth = 0) {
        for (auto const& node : nodes) {
            check_depth(node, depth);
            if (auto const* const function = called_by(node)) {
                auto const [entry, fresh] = is_checked_.try_emplace(function, false);
                if (fresh) {
                    check(function->nodes, depth + 1);
                    entry->second = true;
                } else if (!entry->second) {
                    fail(node, "the function calls itself");
                }
            }
            for_each_inner_graph(node, [&](onnx_graph const& graph) { check(graph.nodes, depth + 1); });
        }
    }

    /// Throws bad_graph, naming the node, where functions and graphs go too deep.  Requires: check.
    void run(std::vector<onnx_node>& nodes, std::size_t depth = 0) {
        std::vector<onnx_node> result;
        result.reserve(nodes.size());
        for (auto& node : nodes) {
            check_depth(node, depth);
            if (auto const* function = called_by(node)) {
                expand(node, *function, result, depth);
                continue;
            }
            for_each_inner_graph(node, [&](onnx_graph& graph) { run(graph.nodes, depth + 1); });
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

    static void check_depth(onnx_node const& node, std::size_t depth) {
        if (depth > deepest_nesting) fail(node, "the model is nested too deeply");
    }
    [[noreturn]] static void fail(onnx_node const& node, char const* why) {
        repebble::detail::raise(bad_graph(onnx_node_text(node) + ": " + why));
    }

    void expand(onnx_node const& call, onnx_function const& function, std::vector<onnx_node>& result,
                std::size_t depth) {
        if (call.inputs.size() > function.inputs.size() || call.outputs.size() > function.outputs.size())
            fail(call, "the call has more inputs or outputs than the function");
        onnx_renaming renaming{.account = account_, .prefix = names_.free_prefix(call)};
        for (std::size_t i = 0; i < function.inputs.size(); ++i)
            renaming.names[function.inputs[i]] = i < call.inputs.size() ? call.inputs[i] : std::string();
        std::vector<onnx_node> copies;  // of outputs that are inputs, or the same as another
        for (std::size_t k = 0; k < call.outputs.size(); ++k) {
            if (call.outputs[k].empty()) continue;
            auto const [entry, fresh] = renaming.names.try_emplace(function.outputs[k], call.outputs[k]);
            if (!fresh) copies.push_back(identity_node(entry->second, call.outputs[k]));
        }
        std::vector<onnx_node> nodes;
        for (auto const& from : function.nodes) {
            auto const size = bytes_of_copy(from);
            account_.spend(size / 16, size, [&] { return onnx_node_text(call); });
            auto& node = nodes.emplace_back(from);
            resolve(node, call, function);
            node.name =
                (call.name.empty() ? call.op_type : call.name) + "/" + (node.name.empty() ? node.op_type : node.name);
            account_.spend(1, node.name.size(), [&] { return onnx_node_text(call); });
            renaming.apply(node);
        }
        names_.add(nodes);
        run(nodes, depth + 1);
        std::ranges::move(nodes, std::back_inserter(result));
        std::ranges::move(copies, std::back_inserter(result));
    }

    /// Gives attributes that refer to one of the call its value, or the default; neither: the attribute is left out.
    void resolve(onnx_node& node, onnx_node const& call, onnx_function const& function) const {
        std::erase_if(node.attributes, [&](onnx_attribute& attribute) {
            if (attribute.reference.empty()) return false;
            for (auto const* list : {&call.attributes, &function.defaults}) {
                auto const found = std::ranges::find(*list, attribute.reference, &onnx_attribute::name);
                if (found == list->end()) continue;
                auto const size = bytes_of_copy(*found);
                account_.spend(size / 16, size, [&] { return onnx_node_text(node); });
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

    onnx_value_names& names_;
    read_account const& account_;
    std::map<key_type, onnx_function const*> functions_{};
    std::map<onnx_function const*, bool> is_checked_{};  // false: it is being checked
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
inline void inline_branch(onnx_node const& node, onnx_graph branch, onnx_graph& graph, std::vector<onnx_node>& result,
                          onnx_value_names& value_names, read_account const& account) {
    onnx_renaming renaming{.account = account};
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
    prefix_own_names(branch, value_names.free_prefix(node), renaming.names);
    for (auto& copy : copies) renaming.apply(copy.inputs[0]);
    renaming.apply(branch);
    value_names.add(branch);
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

[[nodiscard]] inline auto has_branches(onnx_graph const& graph) -> bool {
    bool any = false;
    for (auto const& node : graph.nodes) {
        any = any || is_branch(node);
        for_each_inner_graph(node, [&](onnx_graph const& inner) { any = any || has_branches(inner); });
    }
    return any;
}

/// Inlines the branches that known conditions choose, also in graphs inside of nodes.  Whether there were any.
[[nodiscard]] inline auto inline_branches(onnx_graph& graph, known_conditions const& known,
                                          onnx_value_names& value_names, read_account const& account) -> bool {
    std::vector<onnx_node> result;
    result.reserve(graph.nodes.size());
    bool any = false;
    for (auto& node : graph.nodes) {
        auto const condition = is_branch(node) && !node.inputs.empty() ? known.find(node.inputs[0]) : known.end();
        auto const* branch =
            condition != known.end() ? inner_graph(node, condition->second ? "then_branch" : "else_branch") : nullptr;
        if (branch) {
            auto const size = bytes_of_copy(*branch);
            account.spend(size / 16, size, [&] { return onnx_node_text(node); });
            inline_branch(node, *branch, graph, result, value_names, account);
        } else {
            for_each_inner_graph(node, [&](onnx_graph& inner) {
                if (!has_branches(inner)) return;
                account.spend(1 + known.size(), 0, [&] { return onnx_node_text(node); });
                any = inline_branches(inner, conditions_inside(inner, known), value_names, account) || any;
            });
            result.push_back(std::move(node));
        }
        any = any || branch;
    }
    graph.nodes = std::move(result);
    return any;
}

}  // namespace repebble::inline v0::io::detail

#endif
