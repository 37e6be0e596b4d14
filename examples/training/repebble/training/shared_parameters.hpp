#ifndef REPEBBLE_TRAINING_SHARED_PARAMETERS_HPP
#define REPEBBLE_TRAINING_SHARED_PARAMETERS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/io/network.hpp>
#include <repebble/networks/model.hpp>

namespace repebble::training {

/// How many operations have each parameter.
[[nodiscard]] inline auto user_counts(networks::model const& m) -> std::vector<std::size_t> {
    std::vector<std::size_t> users(m.parameters().size(), 0);
    for (auto const& op : m.operations())
        for (auto const p : op.parameters) ++users[p];
    return users;
}

/// The graph of a model in which operations that share a parameter have an order, whatever the schedule.
struct ordered_network {
    io::network network{{}};
    std::vector<std::uint32_t> node_of{};                      ///< of every operation of the model
    std::vector<std::optional<std::uint32_t>> operation_of{};  ///< of every node; nothing: it only keeps order
};

/// The gradient of a parameter that several operations share is the sum of what each of them adds, and the last bits of
/// a sum depend on the order of its terms. So consecutive users of a parameter between which there is no path get one:
/// the first writes a token of no bytes, a node of no time that never runs again hands it on, and the next reads it.
/// The gradients of the tokens keep the same order on the way back.
/// `net` is the graph of the model.  O(pairs of users · edges between them).
[[nodiscard]] inline auto with_ordered_users(networks::model const& m, io::network const& net) -> ordered_network {
    auto const count = static_cast<std::uint32_t>(net.nodes().size());
    std::map<std::uint32_t, std::uint32_t> last_user;        // of every parameter
    std::map<std::uint32_t, std::set<std::uint32_t>> waits;  // for an operation: who waits for it
    std::vector<bool> seen(count);
    auto const leads_to = [&](std::uint32_t from, std::uint32_t to) {
        std::fill(seen.begin() + from, seen.begin() + to + 1, false);
        seen[from] = true;  // operations read what was added before only
        for (auto v = from; v < to; ++v)
            if (seen[v])
                for (auto const w : net.graph().successors(v))
                    if (w <= to) seen[w] = true;
        return bool{seen[to]};
    };
    for (std::uint32_t v = 0; v < count; ++v)
        for (auto const p : m.operations()[v].parameters) {
            if (!m.parameters()[p].trained) continue;
            auto const [before, first] = last_user.try_emplace(p, v);
            auto const u = std::exchange(before->second, v);
            if (!first && u != v && !waits[u].contains(v) && !leads_to(u, v)) waits[u].insert(v);
        }
    std::erase_if(waits, [](auto const& entry) { return entry.second.empty(); });

    ordered_network out;
    std::vector<io::network_node> nodes;
    std::map<std::uint32_t, std::uint32_t> token_of;  // of an operation that others wait for: the node behind it
    for (std::uint32_t v = 0; v < count; ++v) {
        out.node_of.push_back(static_cast<std::uint32_t>(nodes.size()));
        out.operation_of.emplace_back(v);
        auto node = net.node(v);
        node.renumber([&](std::uint32_t id) { return out.node_of[id]; });
        if (waits.contains(v)) {
            if (node.outputs_memory.empty()) node.outputs_memory = {node.memory};
            node.outputs_memory.push_back(0);
            io::network_node token{.name = node.name + " order",
                                   .op = "order",
                                   .recomputable = false,
                                   .bwd_needs_inputs = false,
                                   .bwd_needs_output = false};
            nodes.push_back(std::move(node));
            token_of[v] = static_cast<std::uint32_t>(nodes.size());
            out.operation_of.emplace_back(std::nullopt);
            nodes.push_back(std::move(token));
        } else {
            nodes.push_back(std::move(node));
        }
    }
    std::vector<io::network_edge> edges;
    for (std::size_t i = 0; i < net.edges().size(); ++i) {
        auto const [from, to] = net.edges()[i];
        auto const outputs = net.outputs_read(i);
        edges.push_back({out.node_of[from], out.node_of[to], {outputs.begin(), outputs.end()}, outputs.empty()});
    }
    for (auto const& [u, waiting] : waits) {
        auto const token = static_cast<std::uint32_t>(nodes[out.node_of[u]].outputs_memory.size() - 1);
        edges.push_back({out.node_of[u], token_of[u], {token}});
        for (auto const v : waiting) {
            auto const to = out.node_of[v];
            edges.push_back({token_of[u], to, {}});
            if (auto& reads = nodes[to].reads) reads->push_back({.of = {token_of[u], 0}});
        }
    }
    out.network = io::network(std::move(nodes), std::move(edges), net.name(), net.extra(), net.time_unit());
    return out;
}

}  // namespace repebble::training

#endif
