#ifndef REPEBBLE_IO_NETWORK_HPP
#define REPEBBLE_IO_NETWORK_HPP

// Networks: computation graphs from files, with names, weights, views and flags of gradients, as a model of
// `computation_graph` with its weights. Readers produce it; network_training.hpp makes training graphs of it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <ranges>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <repebble/detail/jagged_array.hpp>
#include <repebble/graph/csr_graph.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/graph_traits.hpp>
#include <repebble/graph/topological_order.hpp>
#include <repebble/graph/validate.hpp>
#include <repebble/graph/weights.hpp>
#include <repebble/io/detail/check_network.hpp>
#include <repebble/io/detail/extra_fields.hpp>
#include <repebble/io/network_node.hpp>

namespace repebble::inline v0::io {

/// A computation graph whose vertices are the ids 0 … n-1 of its nodes, with all fields of the file.
/// Invariant: acyclic; edges are unique and sorted; every number is >= 0 and all of them together fit in 64 bits; every
/// view reads one node and leads to the owner of its storage; no forward node reads a backward one.
class network {
  public:
    /// A vertex is the id of its node.
    using vertex = std::uint32_t;

    network() = default;

    /// O((n + m) log m).  Throws bad_graph, bad_weight or not_a_dag, naming the node or the edge at fault.
    explicit network(std::vector<network_node> nodes, std::vector<network_edge> edges = {}, std::string name = {},
                     nlohmann::json extra = nlohmann::json::object())
        : name_(std::move(name)), nodes_(std::move(nodes)), extra_(std::move(extra)) {
        if (auto const fault = detail::fault_of_extra(extra_, network_fields); !fault.empty())
            repebble::detail::raise(bad_graph("the network: " + fault));
        for (std::size_t v = 0; v < nodes_.size(); ++v) detail::check_node(nodes_[v], v);
        std::ranges::sort(edges, {}, ends);
        edges_.reserve(edges.size());
        for (auto const& e : edges) edges_.push_back(ends(e));
        graph_ = csr_graph(nodes_.size(), edges_);
        require_valid(graph_);
        std::size_t most_outputs = 0;
        for (auto const& node : nodes_) most_outputs = std::max(most_outputs, node.output_count());
        all_outputs_.resize(most_outputs);
        std::iota(all_outputs_.begin(), all_outputs_.end(), std::uint32_t{0});
        for (auto& e : edges) add_outputs_listed(e);
        detail::check_views(nodes_, graph_, topological_order(graph_));
        detail::check_reads(nodes_, graph_);
        detail::check_sums(nodes_);
    }

    /// The name of the network, or nothing.
    [[nodiscard]] auto name() const noexcept -> std::string const& { return name_; }
    /// The nodes by id.
    [[nodiscard]] auto nodes() const noexcept -> std::span<network_node const> { return nodes_; }
    /// All that is known of a node.
    [[nodiscard]] auto node(std::size_t v) const -> network_node const& { return nodes_[v]; }
    /// The edges, sorted.
    [[nodiscard]] auto edges() const noexcept -> std::span<csr_graph::edge const> { return edges_; }
    /// The edges as a plain graph.
    [[nodiscard]] auto graph() const noexcept -> csr_graph const& { return graph_; }
    /// The outputs of node `edges()[i].first` that edge i reads, ascending.
    [[nodiscard]] auto outputs_read(std::size_t i) const -> std::span<std::uint32_t const> {
        auto const listed = outputs_listed_[i];
        return listed.empty() ? std::span(all_outputs_).first(nodes_[edges_[i].first].output_count()) : listed;
    }
    /// Whether edge i reads every output.
    [[nodiscard]] auto reads_all(std::size_t i) const noexcept -> bool { return outputs_listed_[i].empty(); }
    /// The outputs of u that the edge u -> v reads, ascending.  O(log m).  Requires: the edge exists.
    [[nodiscard]] auto outputs_read(vertex u, vertex v) const -> std::span<std::uint32_t const> {
        auto const found = std::ranges::lower_bound(edges_, csr_graph::edge{u, v});
        REPEBBLE_ASSERT((found != edges_.end() && *found == csr_graph::edge{u, v}));
        return outputs_read(static_cast<std::size_t>(found - edges_.begin()));
    }
    /// All fields of the file as a whole that have no member here, by name.
    [[nodiscard]] auto extra() const noexcept -> nlohmann::json const& { return extra_; }

    friend auto operator==(network const&, network const&) -> bool = default;

  private:
    static auto ends(network_edge const& e) -> csr_graph::edge { return {e.from, e.to}; }

    void add_outputs_listed(network_edge& e) {
        auto const count = nodes_[e.from].output_count();
        std::ranges::sort(e.outputs);
        if (!e.outputs.empty() && e.outputs.back() >= count)
            repebble::detail::raise(bad_graph(detail::edge_name(e) + ": reads output " +
                                              std::to_string(e.outputs.back()) + ", but " + detail::node_name(e.from) +
                                              " has " + std::to_string(count)));
        if (auto const twin = std::ranges::adjacent_find(e.outputs); twin != e.outputs.end())
            repebble::detail::raise(
                bad_graph(detail::edge_name(e) + ": reads output " + std::to_string(*twin) + " twice"));
        if (e.outputs.size() == count) e.outputs.clear();
        outputs_listed_.append(e.outputs);
    }

    std::string name_;
    std::vector<network_node> nodes_;
    std::vector<csr_graph::edge> edges_;
    repebble::detail::jagged_array<std::uint32_t> outputs_listed_;  // per edge; none: all are read
    std::vector<std::uint32_t> all_outputs_;                        // 0, 1, … as far as any node has outputs
    csr_graph graph_;
    nlohmann::json extra_ = nlohmann::json::object();
};

/// The weights of a network's nodes; each refers to the network, which must outlive it.
struct time_of {
    network const* net;  ///< whose nodes are asked
    [[nodiscard]] auto operator()(network::vertex v) const -> std::int64_t { return net->node(v).time; }
};
/// Bytes of each output of the network's nodes, as a weight.
struct memory_of {
    network const* net;  ///< whose nodes are asked
    /// Bytes of one output.
    [[nodiscard]] auto operator()(network::vertex v, std::uint32_t output) const -> bytes {
        return net->node(v).output_memory(output);
    }
    /// Bytes of all outputs together.
    [[nodiscard]] auto operator()(network::vertex v) const -> bytes { return net->node(v).memory; }
};
/// Workspaces of the network's nodes, as a weight.
struct workspace_of {
    network const* net;  ///< whose nodes are asked
    [[nodiscard]] auto operator()(network::vertex v) const -> bytes { return net->node(v).workspace; }
};
/// Whether the network's nodes may run more than once, as a weight.
struct recomputable_of {
    network const* net;  ///< whose nodes are asked
    [[nodiscard]] auto operator()(network::vertex v) const -> bool { return net->node(v).recomputable; }
};

using network_weights = weights<time_of, memory_of, workspace_of, recomputable_of>;

/// All weights of a network, for `make_dataflow(net, weights_of(net))`.  Requires: the network outlives them.
[[nodiscard]] inline auto weights_of(network const& net) -> network_weights { return {{&net}, {&net}, {&net}, {&net}}; }
auto weights_of(network const&&) -> network_weights = delete;

}  // namespace repebble::inline v0::io

template <>
struct repebble::graph_traits<repebble::io::network> {
    using network = io::network;
    static auto vertices(network const& g) {
        return std::views::iota(network::vertex{0}, static_cast<network::vertex>(g.nodes().size()));
    }
    static auto successors(network const& g, network::vertex v) { return g.graph().successors(v); }
    static auto predecessors(network const& g, network::vertex v) { return g.graph().predecessors(v); }
    static auto vertex_index(network const&, network::vertex v) -> std::size_t { return v; }
    static auto vertex_count(network const& g) -> std::size_t { return g.nodes().size(); }
    static auto output_count(network const& g, network::vertex v) { return g.node(v).output_count(); }
    static auto outputs_read(network const& g, network::vertex u, network::vertex v) { return g.outputs_read(u, v); }
    static auto is_view(network const& g, network::vertex v) { return g.node(v).is_view(); }
};

#endif
