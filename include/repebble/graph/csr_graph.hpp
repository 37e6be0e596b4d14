#ifndef REPEBBLE_GRAPH_CSR_GRAPH_HPP
#define REPEBBLE_GRAPH_CSR_GRAPH_HPP

// The library's own graph type, compressed sparse rows in both directions. Algorithms copy graphs of other types into
// it first, where that pays; dataflows have one.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <ranges>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <repebble/detail/jagged_array.hpp>
#include <repebble/graph/access.hpp>
#include <repebble/graph/error.hpp>

namespace repebble::inline v0 {

/// A compact graph with vertices 0 … n-1 in compressed rows. Invariant: every edge joins two vertices of the graph. It
/// may have cycles and parallel edges; see `verify_graph`.
class csr_graph {
  public:
    /// A vertex is its index.
    using vertex = std::uint32_t;
    /// Tail and head.
    using edge = std::pair<vertex, vertex>;

    constexpr csr_graph() = default;

    /// O(n + m).  Throws bad_graph where an edge names a vertex that does not exist.
    constexpr csr_graph(std::size_t vertex_count, std::vector<edge> const& edges) {
        if (vertex_count >= std::numeric_limits<vertex>::max())
            detail::raise(bad_graph(std::to_string(vertex_count) + " vertices are more than 32 bits can number"));
        for (auto const& [u, v] : edges)
            for (auto const end : {u, v})
                if (end >= vertex_count)
                    detail::raise(bad_graph("edge " + std::to_string(u) + " -> " + std::to_string(v) + ": vertex " +
                                            std::to_string(end) + " is out of range: the graph has " +
                                            std::to_string(vertex_count) + " vertices"));
        successors_ = {vertex_count, edges};
        predecessors_ = successors_.transposed(vertex_count);
    }

    /// A compact copy of the vertices and edges of any computation graph, by index: what else its traits say (outputs,
    /// operands, results …) is no part of it; `make_dataflow` copies that.  O(n + m).
    template <computation_graph Graph>
    [[nodiscard]] static constexpr auto copy_of(Graph const& g) -> csr_graph {
        auto const by_index = detail::vertices_by_index(g);
        std::vector<edge> edges;
        for (std::size_t i = 0; i < by_index.size(); ++i)
            for (auto&& w : repebble::successors(g, by_index[i])) {
                auto const j = vertex_index(g, static_cast<vertex_t<Graph>>(w));
                if (j >= by_index.size())
                    detail::raise(bad_graph("vertex " + std::to_string(i) + " has a successor out of range: index " +
                                            std::to_string(static_cast<std::ptrdiff_t>(j)) + " of " +
                                            std::to_string(by_index.size())));
                edges.emplace_back(static_cast<vertex>(i), static_cast<vertex>(j));
            }
        return {by_index.size(), edges};
    }

    /// N.
    [[nodiscard]] constexpr auto vertex_count() const noexcept -> std::size_t { return successors_.size(); }
    /// M.
    [[nodiscard]] constexpr auto edge_count() const noexcept -> std::size_t { return successors_.item_count(); }
    /// The vertices that read v.
    [[nodiscard]] constexpr auto successors(std::size_t v) const noexcept { return successors_[v]; }
    /// The vertices that v reads.
    [[nodiscard]] constexpr auto predecessors(std::size_t v) const noexcept { return predecessors_[v]; }

    friend constexpr auto operator==(csr_graph const&, csr_graph const&) -> bool = default;

  private:
    detail::jagged_array<vertex> successors_;
    detail::jagged_array<vertex> predecessors_;
};

template <>
struct graph_traits<csr_graph> {
    using vertex = csr_graph::vertex;
    static constexpr auto vertices(csr_graph const& g) {
        return std::views::iota(vertex{0}, static_cast<vertex>(g.vertex_count()));
    }
    static constexpr auto successors(csr_graph const& g, vertex v) { return g.successors(v); }
    static constexpr auto predecessors(csr_graph const& g, vertex v) { return g.predecessors(v); }
    static constexpr auto vertex_index(csr_graph const&, vertex v) -> std::size_t { return v; }
    static constexpr auto vertex_count(csr_graph const& g) -> std::size_t { return g.vertex_count(); }
};

namespace detail {

/// The vertices and edges of any graph as a compact one: a copy, but where it is one.  O(n + m).
template <computation_graph Graph>
[[nodiscard]] constexpr auto as_csr_graph(Graph const& g) -> decltype(auto) {
    if constexpr (std::same_as<Graph, csr_graph>)
        return (g);
    else
        return csr_graph::copy_of(g);
}

}  // namespace detail

}  // namespace repebble::inline v0

#endif
