#ifndef REPEBBLE_GRAPH_BIDIRECTIONAL_HPP
#define REPEBBLE_GRAPH_BIDIRECTIONAL_HPP

// An adaptor that derives predecessors from successors, for graph types that do not have them.

#include <cstddef>
#include <cstdint>
#include <ranges>
#include <vector>

#include <repebble/graph/access.hpp>
#include <repebble/graph/csr_graph.hpp>
#include <repebble/graph/forwarded_members.hpp>
#include <repebble/graph/unmet_requirement.hpp>

namespace repebble::inline v0 {

/// A graph with its predecessors, derived once and cached. Refers to the graph, which must outlive it.
template <computation_graph Graph>
class bidirectional_adaptor {
  public:
    /// O(n + m).  Throws bad_graph where indices are not dense.
    constexpr explicit bidirectional_adaptor(Graph const& g)
        : graph_(&g), by_index_(detail::vertices_by_index(g)), edges_(csr_graph::copy_of(g)) {}

    /// The graph without predecessors.
    [[nodiscard]] constexpr auto base() const noexcept -> Graph const& { return *graph_; }
    /// The vertices that v reads.
    [[nodiscard]] constexpr auto predecessors(vertex_t<Graph> const& v) const {
        return edges_.predecessors(vertex_index(*graph_, v)) |
               std::views::transform([this](std::uint32_t u) -> vertex_t<Graph> const& { return by_index_[u]; });
    }

  private:
    Graph const* graph_;
    std::vector<vertex_t<Graph>> by_index_;
    csr_graph edges_;
};

template <class Graph>
struct graph_traits<bidirectional_adaptor<Graph>> : forwarded_members<bidirectional_adaptor<Graph>, Graph> {
    using adaptor = bidirectional_adaptor<Graph>;
    static constexpr decltype(auto) vertices(adaptor const& g) { return repebble::vertices(g.base()); }
    static constexpr decltype(auto) successors(adaptor const& g, auto const& v) {
        return repebble::successors(g.base(), v);
    }
    static constexpr auto predecessors(adaptor const& g, auto const& v) { return g.predecessors(v); }
    static constexpr auto vertex_index(adaptor const& g, auto const& v) { return repebble::vertex_index(g.base(), v); }
    static constexpr auto vertex_count(adaptor const& g) { return repebble::vertex_count(g.base()); }
};

namespace detail {
struct bidirectional_fn : takes_graph {
    using takes_graph::operator();

    template <computation_graph Graph>
    [[nodiscard]] constexpr auto operator()(Graph const& g) const {
        return bidirectional_adaptor<Graph>(g);
    }
    template <computation_graph Graph>
    void operator()(Graph const&&) const = delete;  // the graph must outlive the adaptor
};
}  // namespace detail

/// Adds predecessors to a graph type without them; all else that the graph's traits say stays.  O(n + m) time and
/// space, once.
inline constexpr detail::bidirectional_fn bidirectional{};

}  // namespace repebble::inline v0

#endif
