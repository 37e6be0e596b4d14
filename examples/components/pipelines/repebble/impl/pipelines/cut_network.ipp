#ifndef REPEBBLE_IMPL_PIPELINES_CUT_NETWORK_IPP
#define REPEBBLE_IMPL_PIPELINES_CUT_NETWORK_IPP

#include <repebble/pipelines/cut_network.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include <repebble/detail/raise.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/error.hpp>

namespace repebble::inline v0::io::detail {

/// Throws bad_graph where the network cannot be cut by the numbers of its nodes.
inline void check_order(network const& net) {
    auto const refuse = [&](std::uint32_t v, char const* why) {
        repebble::detail::raise(bad_graph("node " + std::to_string(v) + " (" + net.node(v).name + ") " + why));
    };
    for (std::uint32_t v = 0; v < net.nodes().size(); ++v) {
        if (net.node(v).phase != pass::forward) refuse(v, "is of a backward pass");
        if (!net.node(v).mutates.empty()) refuse(v, "writes over what it reads");
        if (!net.node(v).alternative_to.empty()) refuse(v, "computes what another one does");
        for (auto const u : net.graph().predecessors(v))
            if (u > v) refuse(v, "reads a later one");
    }
}

/// Where what passes the cut is read: the node before `begin` that later ones read; of the first part none.
[[nodiscard]] inline auto source_of(network const& net, std::uint32_t begin) -> std::optional<std::uint32_t> {
    for (std::uint32_t u = 0; u < begin; ++u)
        for (auto const v : net.graph().successors(u))
            if (v >= begin) return u;
    return std::nullopt;
}

/// The place of a parameter that a node names, in the network's list.  Throws bad_graph where it is not there.
[[nodiscard]] inline auto place_of(network const& net, network_node const& node, nlohmann::json const& named)
    -> std::size_t {
    auto const all = net.extra().find("parameters");
    if (all == net.extra().end() || !all->is_array() || !named.is_number_unsigned() ||
        named.get<std::size_t>() >= all->size())
        repebble::detail::raise(bad_graph(node.name + " has a parameter that the network does not list"));
    return named.get<std::size_t>();
}

/// Replaces what nodes name of the network's parameters by their places in a list of their own, which is returned.
[[nodiscard]] inline auto take_parameters(network const& net, std::vector<network_node>& nodes) -> nlohmann::json {
    auto own = nlohmann::json::array();
    std::map<std::size_t, std::size_t> place;
    for (auto& node : nodes) {
        auto const named = node.extra.find("parameters");
        if (named == node.extra.end()) continue;
        for (auto& p : *named) {
            auto const [at, first] = place.try_emplace(place_of(net, node, p), own.size());
            if (first) own.push_back(net.extra().at("parameters").at(at->first));
            p = at->second;
        }
    }
    return own;
}

}  // namespace repebble::inline v0::io::detail

namespace repebble::inline v0::io {

REPEBBLE_INLINE auto find_cuts(network const& net) -> std::vector<std::uint32_t> {
    detail::check_order(net);
    auto const count = static_cast<std::uint32_t>(net.nodes().size());
    std::vector<std::uint32_t> cuts;
    std::set<std::pair<std::uint32_t, std::uint32_t>> passing;  // last reader, node
    for (std::uint32_t v = 0; v < count; ++v) {
        while (!passing.empty() && passing.begin()->first < v) passing.erase(passing.begin());
        auto const is_cut = [&](network_node const& source) {
            return !source.is_view() && source.views.empty() && !source.input && source.output_count() == 1;
        };
        if (v == 0 || (passing.size() == 1 && is_cut(net.node(passing.begin()->second)))) cuts.push_back(v);
        auto const readers = net.graph().successors(v);
        if (!readers.empty()) passing.emplace(*std::ranges::max_element(readers), v);
    }
    return cuts;
}

REPEBBLE_INLINE auto part_of(network const& net, std::uint32_t begin, std::uint32_t end) -> network {
    std::vector<network_node> nodes;
    auto const source = detail::source_of(net, begin);
    if (source) {
        auto const& before = net.node(*source);
        nodes.push_back({.name = before.name,
                         .op = "input",
                         .memory = before.memory,
                         .recomputable = false,
                         .bwd_needs_inputs = false,
                         .bwd_needs_output = false,
                         .has_gradient = before.has_gradient});
    }
    auto const first = static_cast<std::uint32_t>(nodes.size());
    auto const number = [&](std::uint32_t u) { return u < begin ? 0 : u - begin + first; };
    for (auto v = begin; v < end; ++v) {
        auto node = net.node(v);
        if (!node.reads) {
            node.reads.emplace();
            for (auto const& of : net.operands(v)) node.reads->push_back({.of = of});
        }
        node.renumber(number);
        nodes.push_back(std::move(node));
    }
    std::vector<network_edge> order;
    for (std::size_t i = 0; i < net.edges().size(); ++i)
        if (auto const [u, v] = net.edges()[i]; v >= begin && v < end && net.outputs_read(i).empty())
            order.push_back({.from = number(u), .to = number(v), .control = true});
    nlohmann::json extra{{"parameters", detail::take_parameters(net, nodes)}};
    return network(std::move(nodes), std::move(order), net.name(), std::move(extra), net.time_unit());
}

}  // namespace repebble::inline v0::io

#endif
