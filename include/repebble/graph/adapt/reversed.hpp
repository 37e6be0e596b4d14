#ifndef REPEBBLE_GRAPH_ADAPT_REVERSED_HPP
#define REPEBBLE_GRAPH_ADAPT_REVERSED_HPP

#include <repebble/graph/access.hpp>
#include <repebble/graph/unmet_requirement.hpp>

namespace repebble::inline v0 {

/// A graph with its edges turned round: the vertices and indices of `base()`, successors for predecessors. Refers to
/// the graph, which must outlive it.
template <bidirectional_graph Graph>
class reversed_graph {
  public:
    constexpr explicit reversed_graph(Graph const& g) noexcept : graph_(&g) {}
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

/// The graph with its edges turned round; a graph without predecessors is first made `bidirectional`. Vertices, and so
/// weights, stay the same. Outputs, views and alternative producers tell of the values that go along the edges of the
/// graph as it was; turned round it carries others, and every vertex has one output of its own.  O(1).
inline constexpr detail::reversed_fn reversed{};

}  // namespace repebble::inline v0

#endif
