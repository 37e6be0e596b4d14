#ifndef REPEBBLE_IO_NETWORK_HPP
#define REPEBBLE_IO_NETWORK_HPP

// Networks: computation graphs from files, with names, weights, views and flags of gradients, as a model of
// `computation_graph` with its weights. Readers produce it; network_training.hpp makes training graphs of it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <repebble/detail/jagged_array.hpp>
#include <repebble/graph/csr_graph.hpp>
#include <repebble/graph/graph_traits.hpp>
#include <repebble/graph/weights.hpp>
#include <repebble/io/detail/check_network.hpp>
#include <repebble/io/network_node.hpp>
#include <repebble/io/read_account.hpp>

namespace repebble::inline v0::io {

class network;
struct time_of;
struct memory_of;
struct workspace_of;
struct recomputable_of;

/// All weights of a network; they refer to it.
using network_weights = weights<time_of, memory_of, workspace_of, recomputable_of>;

/// What a file says of copies to the host: for the caller's `plan_options`.
struct network_copies {
    std::string link{};                  ///< as `parse_link` takes it; empty: none
    std::optional<bytes> host_budget{};  ///< bytes on the host at most

    friend auto operator==(network_copies const&, network_copies const&) -> bool = default;
};

/// A computation graph whose vertices are the ids 0 … n-1 of its nodes, with all fields of the file.
/// Invariant: acyclic; edges are unique and sorted; every number is >= 0 and all of them together fit in 64 bits; every
/// view reads what it views; inputs read nothing; alternatives name outputs that are none, and no views of theirs; no
/// forward node reads a backward one. A node's `reads` is given where its operands are not those of its edges in
/// ascending order.
class network {
  public:
    /// A vertex is the id of its node.
    using vertex = std::uint32_t;

    network() = default;

    /// Edges may repeat, in the order of the operands of the nodes that read; a node that has `reads` takes them from
    /// there, and the edges to it need not be given. `time_unit` is "ns", or "" where the unit of the times is not
    /// known: then there is no link. O((n + m) log m).  Throws bad_graph, bad_weight or not_a_dag, naming the node, the
    /// edge or the link at fault; limit_reached where edges and views stand for more than the account allows.
    explicit network(std::vector<network_node> nodes, std::vector<network_edge> edges = {}, std::string name = {},
                     nlohmann::json extra = nlohmann::json::object(), std::string time_unit = {},
                     network_copies copies = {}, read_account const& account = read_account());

    /// The name of the network, or nothing.
    [[nodiscard]] auto name() const noexcept -> std::string const& { return name_; }
    /// The unit of all times: ns, or nothing where it is not known.
    [[nodiscard]] auto time_unit() const noexcept -> std::string const& { return time_unit_; }
    /// The link to the host and its memory, where the file names them.
    [[nodiscard]] auto copies() const noexcept -> network_copies const& { return copies_; }
    /// The nodes by id.
    [[nodiscard]] auto nodes() const noexcept -> std::span<network_node const> { return nodes_; }
    /// All that is known of a node.
    [[nodiscard]] auto node(std::size_t v) const -> network_node const& { return nodes_[v]; }
    /// The edges, sorted.
    [[nodiscard]] auto edges() const noexcept -> std::span<csr_graph::edge const> { return edges_; }
    /// The edges as a plain graph.
    [[nodiscard]] auto graph() const noexcept -> csr_graph const& { return graph_; }
    /// The outputs of node `edges()[i].first` that edge i reads, ascending; none where it is a control edge.
    [[nodiscard]] auto outputs_read(std::size_t i) const -> std::span<std::uint32_t const> { return outputs_read_[i]; }
    /// Whether edge i reads every output.
    [[nodiscard]] auto reads_all(std::size_t i) const noexcept -> bool {
        return outputs_read_[i].size() == nodes_[edges_[i].first].output_count();
    }
    /// The outputs of u that the edge u -> v reads, ascending.  O(log m).  Requires: the edge exists.
    [[nodiscard]] auto outputs_read(vertex u, vertex v) const -> std::span<std::uint32_t const>;
    /// What a node reads, in the order of its arguments, with repetitions; without what is no node.
    [[nodiscard]] auto operands(std::size_t v) const -> std::span<node_output const> { return operands_[v]; }
    /// The values that an output views; none where it owns its storage.
    [[nodiscard]] auto views(node_output const& of) const -> std::span<node_output const> { return views_.viewed(of); }
    /// The nodes that own the storages of an output: its own, or those that its views lead to; ascending.
    [[nodiscard]] auto storage_owners(node_output const& of) const -> std::vector<std::uint32_t> {
        return views_.owners_of(of);
    }
    /// Whether the file has its own backward pass.
    [[nodiscard]] auto is_joint() const -> bool {
        return std::ranges::any_of(nodes_, [](auto const& node) { return node.phase != pass::forward; });
    }
    /// All weights, for `make_dataflow(net, net.weights())`.  Requires: the network outlives them.
    [[nodiscard]] auto weights() const& -> network_weights;
    auto weights() const&& -> network_weights = delete;
    /// All fields of the file as a whole that have no member here, by name.
    [[nodiscard]] auto extra() const noexcept -> nlohmann::json const& { return extra_; }

    friend auto operator==(network const&, network const&) -> bool = default;

  private:
    [[nodiscard]] auto outputs_of(network_edge const& e) const -> std::vector<std::uint32_t>;
    /// The ends of all edges, those that `reads` names among them.
    void add_edges(std::vector<network_edge> const& edges);
    /// Operands of all nodes, by `reads` or by the edges; then what each edge reads.
    void add_operands(std::vector<network_edge> const& edges, read_account const& account);
    /// Spends what the edges of a dataflow from every producer of a value to every reader will take.
    void count_alternatives(read_account const& account) const;
    /// An edge to a node that has `reads` must not say otherwise; `listed`: its outputs there.
    void check_against_reads(network_edge const& e, std::vector<std::uint32_t> const& listed) const;
    /// Gives `reads` to every node whose operands are not those of its edges in ascending order.
    void keep_order();

    std::string name_;
    std::string time_unit_;
    network_copies copies_;
    std::vector<network_node> nodes_;
    std::vector<csr_graph::edge> edges_;
    repebble::detail::jagged_array<std::uint32_t> outputs_read_;  // per edge, ascending; of a control edge none
    repebble::detail::jagged_array<node_output> operands_;        // per node
    detail::network_views views_;
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

inline auto network::weights() const& -> network_weights { return {{this}, {this}, {this}, {this}}; }

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
    static auto operands(network const& g, network::vertex v) { return g.operands(v); }
    static auto value_of(network const& g, network::vertex v, std::uint32_t j) { return g.node(v).value_of({v, j}); }
    static auto is_view(network const& g, network::vertex v) { return g.node(v).is_view(); }
    static auto views(network const& g, network::vertex v, std::uint32_t j) { return g.views({v, j}); }
    static auto is_result(network const& g, network::vertex v, std::uint32_t j) -> bool {
        return std::ranges::binary_search(g.node(v).results, j);
    }
    static auto is_input(network const& g, network::vertex v) -> bool { return g.node(v).input; }
    static auto is_donated(network const& g, network::vertex v) -> bool { return g.node(v).donated; }
    static auto mutates(network const& g, network::vertex v, std::uint32_t j) {
        return g.node(v).mutates | std::views::filter([j](auto const& use) { return use.output == j; }) |
               std::views::transform(&io::storage_use::of);
    }
    static auto may_overwrite(network const& g, network::vertex v, std::uint32_t j, output_ref<network::vertex> of)
        -> bool {
        auto const& all = g.node(v).may_overwrite;
        return std::binary_search(all.begin(), all.end(), io::storage_use{j, of});
    }
};

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/io/network.ipp>
#endif

#endif
