#ifndef REPEBBLE_IMPL_IO_NETWORK_IPP
#define REPEBBLE_IMPL_IO_NETWORK_IPP

#include <repebble/io/network.hpp>

#include <map>
#include <numeric>
#include <utility>

#include <repebble/detail/raise.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/detail/sort_unique.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/topological_order.hpp>
#include <repebble/graph/verify_graph.hpp>
#include <repebble/io/detail/extra_fields.hpp>
#include <repebble/io/parse_link.hpp>

namespace repebble::inline v0::io {

REPEBBLE_INLINE network::network(std::vector<network_node> nodes, std::vector<network_edge> edges, std::string name,
                                 nlohmann::json extra, std::string time_unit, network_copies copies,
                                 read_account const& account)
    : name_(std::move(name)),
      time_unit_(std::move(time_unit)),
      copies_(std::move(copies)),
      nodes_(std::move(nodes)),
      extra_(std::move(extra)) {
    if (auto const fault = detail::extra_fields(network_fields).fault_of(extra_); !fault.empty())
        repebble::detail::raise(bad_graph("the network: " + fault));
    if (!time_unit_.empty() && time_unit_ != "ns")
        repebble::detail::raise(bad_graph("the network: its time unit is ns or not known, not " + time_unit_));
    if (!copies_.link.empty()) static_cast<void>(parse_link(copies_.link));
    if (!copies_.link.empty() && time_unit_.empty())
        repebble::detail::raise(bad_graph("the network: has a link, and the unit of its times is not known"));
    if (copies_.host_budget)
        repebble::detail::check_weight(*copies_.host_budget, [] { return std::string("the network: host_budget"); });
    for (auto& node : nodes_)
        for (auto* const list : {&node.bwd_operands, &node.bwd_outputs, &node.gradient_outputs})
            if (*list) repebble::detail::sort_unique(**list);
    for (auto& node : nodes_) repebble::detail::sort_unique(node.may_overwrite);
    constexpr std::size_t bytes_of_item = 50;  // in a file
    std::size_t reads = 0;
    for (auto const& node : nodes_) reads += node.reads ? node.reads->size() : 0;
    account.open({}, bytes_of_item * (nodes_.size() + edges.size() + reads));
    detail::extra_fields of_nodes(node_fields);
    for (std::size_t v = 0; v < nodes_.size(); ++v) detail::check_node(nodes_[v], v, of_nodes);
    add_edges(edges);
    graph_ = csr_graph(nodes_.size(), edges_);
    repebble::detail::require_valid(graph_);
    add_operands(edges, account);
    for (std::size_t v = 0; v < nodes_.size(); ++v) {  // each pair is asked for
        auto const& node = nodes_[v];
        auto const over = (node.may_overwrite.empty() ? 1 : 16) * operands_[v].size() + node.mutates.size();
        account.spend(node.output_count() * over, 0, [&] { return detail::node_name(v); });
    }
    detail::check_reads(nodes_, graph_, operands_);
    detail::check_alternatives(nodes_);
    count_alternatives(account);
    views_ = {nodes_, operands_, topological_order(graph_), account};
    detail::check_sums(nodes_);
}

REPEBBLE_INLINE auto network::outputs_read(vertex u, vertex v) const -> std::span<std::uint32_t const> {
    auto const found = std::ranges::lower_bound(edges_, csr_graph::edge{u, v});
    REPEBBLE_ASSERT((found != edges_.end() && *found == csr_graph::edge{u, v}));
    return outputs_read(static_cast<std::size_t>(found - edges_.begin()));
}

REPEBBLE_INLINE auto network::outputs_of(network_edge const& e) const -> std::vector<std::uint32_t> {
    if (e.control || !e.outputs.empty()) return e.outputs;
    std::vector<std::uint32_t> all(nodes_[e.from].output_count());
    std::iota(all.begin(), all.end(), std::uint32_t{0});
    return all;
}

REPEBBLE_INLINE void network::add_edges(std::vector<network_edge> const& edges) {
    for (auto const& e : edges) {
        if (e.control && !e.outputs.empty())
            repebble::detail::raise(bad_graph(detail::edge_name(e) + ": is for order only, but reads output " +
                                              std::to_string(e.outputs.front())));
        edges_.emplace_back(e.from, e.to);
    }
    for (std::size_t v = 0; v < nodes_.size(); ++v) {
        if (!nodes_[v].reads) continue;
        for (auto const& [of, outside] : *nodes_[v].reads) {
            if (!outside.empty()) continue;
            if (of.vertex >= nodes_.size())
                repebble::detail::raise(bad_graph(detail::node_name(v) + ": reads " + detail::node_name(of.vertex) +
                                                  ", but there are " + std::to_string(nodes_.size()) + " nodes"));
            edges_.emplace_back(of.vertex, static_cast<vertex>(v));
        }
    }
    repebble::detail::sort_unique(edges_);
}

REPEBBLE_INLINE void network::add_operands(std::vector<network_edge> const& edges, read_account const& account) {
    using outputs_by_edge = std::vector<std::pair<csr_graph::edge, std::uint32_t>>;
    std::vector<std::pair<vertex, node_output>> operands;
    auto const by_edge = [&] {
        outputs_by_edge all;
        for (auto const& [v, of] : operands) all.push_back({{of.vertex, v}, of.output});
        repebble::detail::sort_unique(all);
        return all;
    };
    for (vertex v = 0; v < nodes_.size(); ++v) {
        if (!nodes_[v].reads) continue;
        for (auto const& [of, outside] : *nodes_[v].reads) {
            if (!outside.empty()) continue;
            if (auto const count = nodes_[of.vertex].output_count(); of.output >= count)
                repebble::detail::raise(bad_graph(detail::node_name(v) + ": reads " + detail::output_name(of) +
                                                  ", which has " + std::to_string(count)));
            operands.emplace_back(v, of);
        }
    }
    auto const listed = by_edge();
    for (auto const& e : edges) {
        auto const count = nodes_[e.from].output_count();
        for (auto const output : e.outputs)
            if (output >= count)
                repebble::detail::raise(bad_graph(detail::edge_name(e) + ": reads output " +
                                                  std::to_string(output) + ", but " + detail::node_name(e.from) +
                                                  " has " + std::to_string(count)));
        if (nodes_[e.to].reads) {
            std::vector<std::uint32_t> outputs;
            for (auto const& entry : std::ranges::equal_range(listed, csr_graph::edge{e.from, e.to}, {},
                                                              &outputs_by_edge::value_type::first))
                outputs.push_back(entry.second);
            check_against_reads(e, outputs);
        } else {
            auto const outputs = outputs_of(e);
            account.spend(outputs.size(), 64 * outputs.size(), [&] { return detail::edge_name(e); });
            for (auto const output : outputs) operands.emplace_back(e.to, node_output{e.from, output});
        }
    }
    operands_ = {nodes_.size(), operands};

    auto const read = by_edge();
    std::vector<std::uint32_t> outputs;
    for (std::size_t i = 0, k = 0; i < edges_.size(); ++i) {
        for (outputs.clear(); k < read.size() && read[k].first == edges_[i]; ++k) outputs.push_back(read[k].second);
        outputs_read_.append(outputs);
    }
    keep_order();
}

REPEBBLE_INLINE void network::count_alternatives(read_account const& account) const {
    struct uses {
        std::size_t producers = 1, readers = 0;
    };
    std::map<std::pair<vertex, std::uint32_t>, uses> all;
    for (auto const& node : nodes_)
        for (auto const& [output, same] : node.alternative_to) ++all[{same.vertex, same.output}].producers;
    if (all.empty()) return;
    for (std::size_t v = 0; v < nodes_.size(); ++v)
        for (auto const& read : operands_[v]) {
            auto const of = nodes_[read.vertex].value_of(read);
            if (auto const found = all.find({of.vertex, of.output}); found != all.end()) ++found->second.readers;
        }
    for (auto const& [of, n] : all)
        account.spend(n.producers * n.readers, 32 * n.producers * n.readers,
                      [&, of = of] { return detail::output_name({of.first, of.second}) + ", which many nodes compute,"; });
}

REPEBBLE_INLINE void network::check_against_reads(network_edge const& e,
                                                  std::vector<std::uint32_t> const& listed) const {
    if (e.control || (e.outputs.empty() && !listed.empty())) return;
    auto outputs = e.outputs;
    repebble::detail::sort_unique(outputs);
    if (listed.empty() || outputs != listed)
        repebble::detail::raise(
            bad_graph(detail::edge_name(e) + ": the field reads of " + detail::node_name(e.to) +
                      (listed.empty() ? " does not name it, and the edge is not said to be for order only"
                                      : " names other outputs of it")));
}

REPEBBLE_INLINE void network::keep_order() {
    for (std::size_t v = 0; v < nodes_.size(); ++v) {
        auto const all = operands_[v];
        auto const ends = [](node_output const& of) { return std::pair(of.vertex, of.output); };
        if (nodes_[v].reads || std::ranges::adjacent_find(all, std::greater_equal{}, ends) == all.end()) continue;
        nodes_[v].reads.emplace();
        for (auto const& of : all) nodes_[v].reads->push_back({.of = of});
    }
}

}  // namespace repebble::inline v0::io

#endif
