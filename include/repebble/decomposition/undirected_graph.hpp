#ifndef REPEBBLE_DECOMPOSITION_UNDIRECTED_GRAPH_HPP
#define REPEBBLE_DECOMPOSITION_UNDIRECTED_GRAPH_HPP

// The input type of this room: an undirected simple graph in compressed sparse rows. Computation graphs and Boost-like
// undirected graphs are converted to it once, and then every algorithm works on its arrays.
// Invariant: neighbours ascend, without loops and repeated edges.

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <repebble/graph/concepts.hpp>
#include <repebble/graph/csr_graph.hpp>
#include <repebble/graph/graph_traits.hpp>

namespace repebble::inline v0 {

/// Vertices 0 … n - 1 and their neighbours. Loops and repeated edges do not affect decompositions and are dropped.
class undirected_graph {
  public:
    /// A vertex is its index.
    using vertex = std::uint32_t;
    /// Its two ends.
    using edge = std::pair<vertex, vertex>;

    undirected_graph() = default;

    /// O(n + m log m).  Throws bad_graph if an edge names a vertex out of range.
    undirected_graph(std::size_t vertex_count, std::vector<edge> const& edges);

    /// The undirected graph of a computation graph; vertices by index.  O(n + m log m).  Throws bad_graph if a
    /// successor is out of range.
    template <computation_graph Graph>
    [[nodiscard]] static auto of(Graph const& g) -> undirected_graph {
        return without_directions(csr_graph::copy_of(g));
    }
    /// Copies an undirected graph of another type, such as a boost::adjacency_list with undirectedS; vertices by index.
    /// O(n + m log m).  Throws bad_graph if an index is out of range.
    template <undirected_adjacency Graph>
    [[nodiscard]] static auto of(Graph const& g) -> undirected_graph {
        using traits = graph_traits<Graph>;
        std::size_t count = 0;
        std::vector<edge> edges;
        auto const index = [&](auto const& v) {
            return checked_vertex(static_cast<std::size_t>(traits::vertex_index(g, v)));
        };
        for (auto const& u : traits::vertices(g)) {
            ++count;
            for (vertex_t<Graph> const v : traits::neighbors(g, u)) edges.emplace_back(index(u), index(v));
        }
        return {count, edges};
    }
    /// The moral graph of a computation graph: also connects the predecessors of each vertex pairwise.  O(n + sum of
    /// squared in-degrees).
    template <computation_graph Graph>
    [[nodiscard]] static auto moral(Graph const& g) -> undirected_graph {
        return moral_of(csr_graph::copy_of(g));
    }

    /// N.
    [[nodiscard]] auto vertex_count() const noexcept -> std::size_t { return starts_.size() - 1; }
    /// M, each edge once.
    [[nodiscard]] auto edge_count() const noexcept -> std::size_t { return neighbors_.size() / 2; }
    /// The vertices at the other ends of the edges of v, ascending.
    [[nodiscard]] auto neighbors(std::size_t v) const noexcept -> std::span<vertex const> {
        return {neighbors_.data() + starts_[v], starts_[v + 1] - starts_[v]};
    }
    /// The number of neighbours.
    [[nodiscard]] auto degree(std::size_t v) const noexcept -> std::size_t { return starts_[v + 1] - starts_[v]; }

    friend auto operator==(undirected_graph const&, undirected_graph const&) -> bool = default;

  private:
    [[nodiscard]] static auto checked(std::size_t count) -> std::size_t;
    [[nodiscard]] static auto checked_vertex(std::size_t index) -> vertex;
    [[nodiscard]] static auto without_directions(csr_graph const& g) -> undirected_graph;
    [[nodiscard]] static auto moral_of(csr_graph const& g) -> undirected_graph;
    [[nodiscard]] static auto edges_of(csr_graph const& g) -> std::vector<edge>;
    void remove_duplicates();

    std::vector<std::size_t> starts_ = std::vector<std::size_t>(1, 0);
    std::vector<vertex> neighbors_;
};

/// An order of the vertices. To eliminate a vertex is to connect its neighbours pairwise and to remove it.
using elimination_order = std::vector<undirected_graph::vertex>;

/// A graph that converts to an undirected graph: a computation graph, or one with undirected edges.
template <class Graph>
concept has_undirected_view = requires(Graph const& g) { undirected_graph::of(g); };

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/decomposition/undirected_graph.ipp>
#endif

#endif
