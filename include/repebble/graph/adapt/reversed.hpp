#ifndef REPEBBLE_GRAPH_ADAPT_REVERSED_HPP
#define REPEBBLE_GRAPH_ADAPT_REVERSED_HPP

// The reverse graph as a view, as boost::reverse_graph: successors become predecessors.

#include <repebble/graph/access.hpp>
#include <repebble/graph/unmet_requirement.hpp>

namespace repebble::inline v0 {

/// A graph with all edges reversed: the vertices and indices of `base()`, with successors and predecessors exchanged.
/// Refers to the graph, which must outlive it.
template <bidirectional_graph Graph>
class reversed_graph {
  public:
    /// Refers to the graph.
    constexpr explicit reversed_graph(Graph const& g) noexcept : graph_(&g) {}
    /// The graph whose edges are turned round.
    [[nodiscard]] constexpr auto base() const noexcept -> Graph const& { return *graph_; }

  private:
    Graph const* graph_;
};

template <class Graph>
struct graph_traits<reversed_graph<Graph>> {
    using graph = reversed_graph<Graph>;
    static constexpr decltype(auto) vertices(graph const& g) { return repebble::vertices(g.base()); }
    static constexpr decltype(auto) successors(graph const& g, auto const& v) {
        return repebble::predecessors(g.base(), v);
    }
    static constexpr decltype(auto) predecessors(graph const& g, auto const& v) {
        return repebble::successors(g.base(), v);
    }
    static constexpr auto vertex_index(graph const& g, auto const& v) { return repebble::vertex_index(g.base(), v); }
    static constexpr auto vertex_count(graph const& g) { return repebble::vertex_count(g.base()); }
};

namespace detail {
struct reversed_fn : takes_bidirectional_graph {
    using takes_bidirectional_graph::operator();

    template <bidirectional_graph Graph>
    [[nodiscard]] constexpr auto operator()(Graph const& g) const noexcept {
        return reversed_graph<Graph>(g);
    }
    template <bidirectional_graph Graph>
    void operator()(Graph const&&) const = delete;  // the graph must outlive the adaptor
};
}  // namespace detail

/// The graph with all edges reversed; make a graph without predecessors `bidirectional` first. Vertices, and so
/// weights, stay the same. No optional member of the graph's traits is passed on (outputs and what edges read of them,
/// operands, views, alternative producers, results, inputs, mutations, allowed overwrites), for they describe values
/// along the original edges: in the reverse graph every vertex has one output of its own, which all its successors
/// read; a control edge reads it, too.  O(1).
inline constexpr detail::reversed_fn reversed{};

}  // namespace repebble::inline v0

#endif
