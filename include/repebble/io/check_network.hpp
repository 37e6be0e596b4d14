#ifndef REPEBBLE_IO_CHECK_NETWORK_HPP
#define REPEBBLE_IO_CHECK_NETWORK_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <repebble/graph/csr_graph.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/io/network_node.hpp>

/// What makes nodes and edges a network. Every check names the node or the edge at fault; `network` runs them all.
namespace repebble::io::detail {

[[nodiscard]] inline auto node_name(std::size_t v) -> std::string { return "node " + std::to_string(v); }

[[nodiscard]] inline auto edge_name(network_edge const& e) -> std::string {
    return "edge " + std::to_string(e.from) + " -> " + std::to_string(e.to);
}

/// Throws bad_graph where `extra` is no object, or has a field that has a member of its own.
inline void check_extra(nlohmann::json const& extra, std::span<std::string_view const> known, std::string const& whose) {
    if (!extra.is_object()) throw bad_graph(whose + ": its extra fields are not a JSON object");
    for (auto const field : known)
        if (extra.contains(field))
            throw bad_graph(whose + ": field '" + std::string(field) + "' among its extra fields");
}

/// What can be said of a node alone.  Throws bad_weight for a number, bad_graph for anything else.
inline void check_node(network_node const& node, std::size_t v) {
    auto const check = [&](std::int64_t amount, char const* what) {
        static_cast<void>(to_quantity(amount, [&] { return node_name(v) + ": " + what; }));
    };
    check_extra(node.extra, node_fields, node_name(v));
    check(node.time, "time");
    check(node.memory, "memory");
    check(node.workspace, "workspace");
    bytes left = node.memory;
    for (bytes const size : node.outputs_memory) {
        check(size, "outputs_memory");
        if (size > left) throw bad_weight(node_name(v) + ": outputs_memory has a sum above its memory, which is " +
                                          std::to_string(node.memory));
        left -= size;
    }
    if (!node.outputs_memory.empty() && left != 0)
        throw bad_weight(node_name(v) + ": outputs_memory has the sum " + std::to_string(node.memory - left) +
                         ", but its memory is " + std::to_string(node.memory));
    if (node.phase != pass::forward && node.phase != pass::backward)
        throw bad_graph(node_name(v) + ": phase is neither forward nor backward");
    if (!node.is_view()) return;
    if (node.memory != 0)
        throw bad_graph(node_name(v) + ": is a view (alias_of " + std::to_string(*node.alias_of) +
                        "), but its memory is " + std::to_string(node.memory));
    auto const outputs = node.extra.find("outputs");
    if (outputs != node.extra.end() && (!outputs->is_array() || outputs->empty()))
        throw bad_graph(node_name(v) + ": outputs of a view must be an array that is not empty");
}

/// Throws bad_graph where an edge leads nowhere or to where it comes from.  O(1).
inline void check_edge(network_edge const& e, std::size_t node_count) {
    for (auto const end : {e.from, e.to})
        if (end >= node_count)
            throw bad_graph(edge_name(e) + ": " + node_name(end) + " is out of range: there are " +
                            std::to_string(node_count) + " nodes");
    if (e.from == e.to) throw bad_graph(edge_name(e) + ": a node cannot read itself");
}

/// Throws not_a_dag, naming the nodes of a cycle where there is one; else an order in which nodes come after what they
/// read.  O(n + m).
[[nodiscard]] inline auto order_of_nodes(csr_graph const& g) -> std::vector<std::uint32_t> {
    std::vector<std::uint32_t> order;
    std::vector<std::size_t> waiting(g.vertex_count());
    for (std::uint32_t v = 0; v < g.vertex_count(); ++v) {
        waiting[v] = g.predecessors(v).size();
        if (waiting[v] == 0) order.push_back(v);
    }
    for (std::size_t i = 0; i < order.size(); ++i)
        for (auto const w : g.successors(order[i]))
            if (--waiting[w] == 0) order.push_back(w);
    if (order.size() == g.vertex_count()) return order;

    // Who still waits, waits for somebody who still waits: going back from one to the next ends in a cycle.
    auto const still_waits = [&](std::uint32_t v) { return waiting[v] != 0; };
    auto v = static_cast<std::uint32_t>(std::ranges::find_if(waiting, [](auto w) { return w != 0; }) - waiting.begin());
    std::vector<std::uint32_t> path;
    std::vector<bool> seen(g.vertex_count(), false);
    while (!seen[v]) {
        seen[v] = true;
        path.push_back(v);
        v = *std::ranges::find_if(g.predecessors(v), still_waits);
    }
    std::string cycle = std::to_string(v);
    constexpr std::size_t enough = 8;
    std::size_t shown = 0;
    for (auto back = path.rbegin(); *back != v && shown < enough; ++back, ++shown) cycle += " -> " + std::to_string(*back);
    throw not_a_dag("the graph has a cycle: " + cycle + (shown == enough ? " -> …" : " -> " + std::to_string(v)));
}

/// A view reads one node, and the chain of views that begins so ends at the node that `alias_of` names.
/// `order`: nodes after what they read.  O(n).  Throws bad_graph.
inline void check_views(std::span<network_node const> nodes, csr_graph const& g, std::span<std::uint32_t const> order) {
    std::vector<std::uint32_t> owner(nodes.size());
    for (auto const v : order) {
        owner[v] = v;
        if (!nodes[v].is_view()) continue;
        auto const target = *nodes[v].alias_of;
        auto const fail = [&](std::string const& why) {
            throw bad_graph(node_name(v) + ": alias_of " + std::to_string(target) + ": " + why);
        };
        if (target >= nodes.size()) fail("out of range: there are " + std::to_string(nodes.size()) + " nodes");
        if (target == v) fail("a node cannot be a view of itself");
        auto const read = g.predecessors(v);
        if (read.size() != 1) fail("a view reads one node, not " + std::to_string(read.size()));
        owner[v] = owner[read.front()];
        if (owner[v] != target) fail("its chain of predecessors leads to " + node_name(owner[v]) + " instead");
    }
}

/// What nodes say of the nodes that they read.  Throws bad_graph.  O(n + m).
inline void check_reads(std::span<network_node const> nodes, csr_graph const& g) {
    for (std::size_t v = 0; v < nodes.size(); ++v) {
        if (auto const source = nodes[v].inplace_src; source && std::ranges::count(g.predecessors(v), *source) == 0)
            throw bad_graph(node_name(v) + ": inplace_src " + std::to_string(*source) + " is not a node that it reads");
        if (nodes[v].phase == pass::backward) continue;
        for (auto const u : g.predecessors(v))
            if (nodes[u].phase == pass::backward)
                throw bad_graph(node_name(v) + ": is of the forward phase but reads " + node_name(u) +
                                " of the backward phase");
    }
}

/// Throws bad_weight, naming the node at which it happens, where all times or all bytes together do not fit in 64 bits.
/// O(n). All numbers must have been checked for their sign.
inline void check_sums(std::span<network_node const> nodes) {
    std::int64_t time = 0;
    bytes memory = 0;
    auto const add = [](std::int64_t& sum, std::int64_t amount, char const* what, std::size_t v) {
        if (amount > std::numeric_limits<std::int64_t>::max() - sum)
            throw bad_weight(node_name(v) + ": the sum of " + what + " overflows 64 bits here");
        sum += amount;
    };
    for (std::size_t v = 0; v < nodes.size(); ++v) {
        add(time, nodes[v].time, "all times", v);
        add(memory, nodes[v].memory, "all bytes", v);
        add(memory, nodes[v].workspace, "all bytes", v);
    }
}

}  // namespace repebble::io::detail

#endif
