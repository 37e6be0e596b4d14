#ifndef REPEBBLE_NETWORKS_NETWORK_OF_HPP
#define REPEBBLE_NETWORKS_NETWORK_OF_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/io/network.hpp>
#include <repebble/networks/model.hpp>
#include <repebble/networks/roofline.hpp>

namespace repebble::networks {

namespace detail {

[[nodiscard]] inline auto json_of(tensor const& t) -> nlohmann::json {
    return {{"shape", t.shape}, {"dtype", to_string(t.type)}};
}

[[nodiscard]] inline auto json_of(std::span<parameter const> all) -> nlohmann::json {
    auto list = nlohmann::json::array();
    for (auto const& p : all) {
        auto entry = json_of(p.tensor);
        entry["name"] = p.name;
        entry["size"] = p.tensor.size();
        if (!p.trained) entry["trained"] = false;
        list.push_back(std::move(entry));
    }
    return list;
}

[[nodiscard]] inline auto sizes_of(std::span<tensor const> all) -> std::vector<bytes> {
    std::vector<bytes> sizes;
    for (auto const& t : all) sizes.push_back(t.size());
    return sizes;
}

/// The operands of an operation, in order; inputs of the model are no nodes.
[[nodiscard]] inline auto reads_of(model const& m, operation const& v) -> std::vector<io::node_operand> {
    std::vector<io::node_operand> list;
    for (auto const& x : v.inputs) {
        if (x.from == operand::source::input)
            list.push_back({.outside = m.inputs()[x.index].name});
        else
            list.push_back({.of = {x.index, x.output}});
    }
    return list;
}

/// What the graph file says of an operation beside what planning needs: shapes, attributes, figures.
[[nodiscard]] inline auto extra_of(model const& m, operation const& v) -> nlohmann::json {
    auto extra = json_of(v.outputs.front());
    extra["flops"] = v.flops;
    extra["bytes"] = v.traffic;
    bytes own = 0;
    for (auto const p : v.parameters) own = checked_add(own, m.parameters()[p].tensor.size());
    extra["params_bytes"] = own;
    if (!v.parameters.empty()) extra["parameters"] = v.parameters;
    if (auto attributes = std::visit([](auto const& k) { return attributes_of(k); }, v.what); !attributes.empty())
        extra["attributes"] = std::move(attributes);
    if (v.outputs.size() > 1) extra["outputs"] = sizes_of(v.outputs);
    if (v.is_view()) extra["view_bytes"] = v.outputs.front().size();
    return extra;
}

}  // namespace detail

/// The graph of a model: a node for each operation, under the same number. Kind, shapes, attributes, parameters and
/// figures of each are in the node's `extra`; inputs and parameters of the model, which are no nodes, in the network's.
/// `time(v)` gives time units of an operation, as a whole number.  Throws bad_graph where two operations have one name
/// or a view is one of an input, bad_weight where a time is negative or a sum does not fit in 64 bits.
template <class Time = roofline>
    requires std::integral<std::invoke_result_t<Time const&, operation const&>>
[[nodiscard]] auto network_of(model const& m, Time const& time = {}, nlohmann::json extra = nlohmann::json::object())
    -> io::network {
    std::vector<io::network_node> nodes;
    std::set<std::string_view> known;
    for (auto const& v : m.operations()) {
        if (!known.insert(v.name).second) throw bad_graph("two operations have the name " + v.name);
        auto const units = time(v);
        if (std::cmp_less(units, 0)) throw bad_weight(v.name + ": its time is negative: " + std::to_string(units));
        if (!std::in_range<std::int64_t>(units)) throw bad_weight(v.name + ": its time is above 2^63 - 1");
        io::network_node node{.name = v.name,
                              .time = static_cast<std::int64_t>(units),
                              .reads = detail::reads_of(m, v),
                              .extra = detail::extra_of(m, v)};
        std::visit(
            [&]<class Kind>(Kind const& k) {
                node.op = Kind::name;
                node.bwd_needs_inputs = gradient_needs_of(k).inputs;
                node.bwd_needs_output = gradient_needs_of(k).output;
                node.inplace = may_overwrite_input(k) && v.inputs.front().from == operand::source::operation;
            },
            v.what);
        if (v.is_view()) {
            if (v.inputs.front().from == operand::source::input)
                throw bad_graph(v.name + ": a view of an input of the model, which is no operation");
            auto const from = v.inputs.front().index;
            node.alias_of = nodes[from].alias_of.value_or(from);
        } else {
            node.memory = total_size(v.outputs);
            if (v.outputs.size() > 1) node.outputs_memory = detail::sizes_of(v.outputs);
        }
        if (node.inplace) node.inplace_src = v.inputs.front().index;
        nodes.push_back(std::move(node));
    }

    bytes input_bytes = 0;
    for (auto const& input : m.inputs()) input_bytes = checked_add(input_bytes, input.tensor.size());
    extra["inputs"] = detail::json_of(m.inputs());
    extra["parameters"] = detail::json_of(m.parameters());
    extra["input_bytes"] = input_bytes;
    extra["total_params_bytes"] = m.trained_size();
    return io::network(std::move(nodes), {}, m.name(), std::move(extra));
}

}  // namespace repebble::networks

#endif
