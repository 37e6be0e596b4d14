#ifndef REPEBBLE_IO_DETAIL_CHECK_NETWORK_HPP
#define REPEBBLE_IO_DETAIL_CHECK_NETWORK_HPP

// The checks that make nodes and edges a network: weights, views, reads, sums. Each names the node at fault; the
// constructor of `network` runs them all.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <repebble/graph/csr_graph.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/io/detail/extra_fields.hpp>
#include <repebble/io/network_node.hpp>

namespace repebble::inline v0::io::detail {

[[nodiscard]] inline auto node_name(std::size_t v) -> std::string { return "node " + std::to_string(v); }

[[nodiscard]] inline auto edge_name(network_edge const& e) -> std::string {
    return "edge " + std::to_string(e.from) + " -> " + std::to_string(e.to);
}

/// Checks a node by itself.  Throws bad_weight for a number, bad_graph for anything else.
inline void check_node(network_node const& node, std::size_t v) {
    auto const check = [&](std::int64_t amount, char const* what) {
        static_cast<void>(to_quantity(amount, [&] { return node_name(v) + ": " + what; }));
    };
    if (auto const fault = fault_of_extra(node.extra, node_fields); !fault.empty())
        repebble::detail::raise(bad_graph(node_name(v) + ": " + fault));
    check(node.time, "time");
    check(node.memory, "memory");
    check(node.workspace, "workspace");
    bytes left = node.memory;
    for (bytes const size : node.outputs_memory) {
        check(size, "outputs_memory");
        if (size > left)
            repebble::detail::raise(bad_weight(node_name(v) + ": outputs_memory has a sum above its memory, which is " +
                                               std::to_string(node.memory)));
        left -= size;
    }
    if (!node.outputs_memory.empty() && left != 0)
        repebble::detail::raise(bad_weight(node_name(v) + ": outputs_memory has the sum " +
                                           std::to_string(node.memory - left) + ", but its memory is " +
                                           std::to_string(node.memory)));
    if (node.phase != pass::forward && node.phase != pass::backward)
        repebble::detail::raise(bad_graph(node_name(v) + ": phase is neither forward nor backward"));
    if (node.mirror > 0) {
        auto const fail = [&](std::string const& why) {
            repebble::detail::raise(bad_graph(node_name(v) + ": mirror " + std::to_string(node.mirror) + ": " + why));
        };
        if (node.phase == pass::backward) fail("is of the backward phase");
        if (!node.recomputable) fail("is not recomputable");
        if (node.is_view()) fail("is a view: say it of node " + std::to_string(*node.alias_of));
    }
    if (!node.is_view()) return;
    if (node.memory != 0)
        repebble::detail::raise(bad_graph(node_name(v) + ": is a view (alias_of " + std::to_string(*node.alias_of) +
                                          "), but its memory is " + std::to_string(node.memory)));
    auto const outputs = node.extra.find("outputs");
    if (outputs != node.extra.end() && (!outputs->is_array() || outputs->empty()))
        repebble::detail::raise(bad_graph(node_name(v) + ": outputs of a view must be an array that is not empty"));
}

/// Checks that every view reads one node, and that its chain of views ends at the node named by `alias_of`. order: a
/// topological order.  O(n).  Throws bad_graph.
inline void check_views(std::span<network_node const> nodes, csr_graph const& g, std::span<std::uint32_t const> order) {
    std::vector<std::uint32_t> owner(nodes.size());
    for (auto const v : order) {
        owner[v] = v;
        if (!nodes[v].is_view()) continue;
        auto const target = *nodes[v].alias_of;
        auto const fail = [&](std::string const& why) {
            repebble::detail::raise(bad_graph(node_name(v) + ": alias_of " + std::to_string(target) + ": " + why));
        };
        if (target >= nodes.size()) fail("out of range: there are " + std::to_string(nodes.size()) + " nodes");
        if (target == v) fail("a node cannot be a view of itself");
        auto const read = g.predecessors(v);
        if (read.size() != 1) fail("a view reads one node, not " + std::to_string(read.size()));
        owner[v] = owner[read.front()];
        if (owner[v] != target) fail("its chain of predecessors leads to " + node_name(owner[v]) + " instead");
    }
}

/// Checks the fields of nodes that refer to their inputs.  Throws bad_graph.  O(n + m).
inline void check_reads(std::span<network_node const> nodes, csr_graph const& g) {
    for (std::size_t v = 0; v < nodes.size(); ++v) {
        if (auto const source = nodes[v].inplace_src; source && std::ranges::count(g.predecessors(v), *source) == 0)
            repebble::detail::raise(
                bad_graph(node_name(v) + ": inplace_src " + std::to_string(*source) + " is not a node that it reads"));
        if (nodes[v].phase == pass::backward) continue;
        for (auto const u : g.predecessors(v))
            if (nodes[u].phase == pass::backward)
                repebble::detail::raise(bad_graph(node_name(v) + ": is of the forward phase but reads " + node_name(u) +
                                                  " of the backward phase"));
    }
}

/// Checks that all times and all bytes together fit in 64 bits.  Throws bad_weight, naming the node at which the sum
/// overflows.  O(n).  Requires: all numbers have been checked for their sign.
inline void check_sums(std::span<network_node const> nodes) {
    std::int64_t time = 0;
    bytes memory = 0;
    auto const add = [](std::int64_t& sum, std::int64_t amount, char const* what, std::size_t v) {
        if (amount > std::numeric_limits<std::int64_t>::max() - sum)
            repebble::detail::raise(bad_weight(node_name(v) + ": the sum of " + what + " overflows 64 bits here"));
        sum += amount;
    };
    for (std::size_t v = 0; v < nodes.size(); ++v) {
        add(time, nodes[v].time, "all times", v);
        add(memory, nodes[v].memory, "all bytes", v);
        add(memory, nodes[v].workspace, "all bytes", v);
    }
}

}  // namespace repebble::inline v0::io::detail

#endif
