#ifndef REPEBBLE_GRAPH_ADAPT_AS_BOOST_GRAPH_HPP
#define REPEBBLE_GRAPH_ADAPT_AS_BOOST_GRAPH_HPP

// Any computation graph as a graph of the Boost Graph Library, for its algorithms: a compact copy, and property maps
// from weights. The other direction is boost_graph.hpp.

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/property_map/function_property_map.hpp>

#include <repebble/detail/invoke_on_vertex.hpp>
#include <repebble/graph/access.hpp>
#include <repebble/graph/csr_graph.hpp>
#include <repebble/graph/unmet_requirement.hpp>

namespace repebble::inline v0 {

/// The Boost graph type of the compact copy.
using boost_csr_graph = boost::compressed_sparse_row_graph<boost::bidirectionalS>;

using boost_vertex = boost_csr_graph::vertex_descriptor;
using boost_edge = boost_csr_graph::edge_descriptor;

/// A computation graph as a Boost graph: a compact copy, in which descriptors are the indices of the vertices. Models
/// VertexListGraph, IncidenceGraph, AdjacencyGraph, EdgeListGraph and BidirectionalGraph, with maps for vertex_index
/// and edge_index. Edges stand in the order of `successors`.
template <class Vertex>
class boost_copy : public boost_csr_graph {
  public:
    /// O(n + m).  Throws bad_graph where indices are not dense.
    template <computation_graph Graph>
    explicit boost_copy(Graph const& g) : boost_copy(detail::vertices_by_index(g), edges_of(csr_graph::copy_of(g))) {}

    /// The vertices of the original graph by index: descriptor v stands for original()[v].
    [[nodiscard]] auto original() const noexcept -> std::vector<Vertex> const& { return original_; }

    /// Edges that begin or end at v: asked for by BidirectionalGraph, and missing in compressed_sparse_row_graph.
    friend auto degree(boost_vertex v, boost_copy const& g) -> degree_size_type {
        return out_degree(v, g) + in_degree(v, g);
    }

  private:
    using edge_list = std::vector<std::pair<boost_vertex, boost_vertex>>;

    boost_copy(std::vector<Vertex> by_index, edge_list const& edges)
        : boost_csr_graph(boost::edges_are_unsorted_multi_pass, edges.begin(), edges.end(), by_index.size()),
          original_(std::move(by_index)) {}

    [[nodiscard]] static auto edges_of(csr_graph const& g) -> edge_list {
        edge_list edges;
        edges.reserve(g.edge_count());
        for (std::size_t u = 0; u < g.vertex_count(); ++u)
            for (auto const w : g.successors(u)) edges.emplace_back(u, w);
        return edges;
    }

    std::vector<Vertex> original_;
};

namespace detail {

struct as_boost_graph_fn : takes_graph {
    using takes_graph::operator();

    template <computation_graph Graph>
    [[nodiscard]] auto operator()(Graph const& g) const {
        return boost_copy<vertex_t<Graph>>(g);
    }
};

struct make_property_map_fn {
    template <class Vertex, std::invocable<Vertex const&> F>
    [[nodiscard]] auto operator()(boost_copy<Vertex> const& g, F f) const {
        using value = std::remove_cvref_t<std::invoke_result_t<F const&, Vertex const&>>;
        auto const read = [&g, f = std::move(f)](boost_vertex v) -> value { return call(f, g.original()[v]); };
        return boost::make_function_property_map<boost_vertex, value>(read);
    }
    template <class Vertex, class F>
    void operator()(boost_copy<Vertex> const&&, F) const = delete;  // the copy must outlive the map
};

struct make_edge_property_map_fn {
    template <class Vertex, std::invocable<Vertex const&, Vertex const&> F>
    [[nodiscard]] auto operator()(boost_copy<Vertex> const& g, F f) const {
        using value = std::remove_cvref_t<std::invoke_result_t<F const&, Vertex const&, Vertex const&>>;
        auto const read = [&g, f = std::move(f)](boost_edge const& e) -> value {
            return call(f, g.original()[source(e, g)], g.original()[target(e, g)]);
        };
        return boost::make_function_property_map<boost_edge, value>(read);
    }
    template <class Vertex, class F>
    void operator()(boost_copy<Vertex> const&&, F) const = delete;
};

}  // namespace detail

/// Copies the vertices and edges of a computation graph into a Boost graph, which is independent of the original. Boost
/// has no place for what else the graph's traits say (outputs, views, results …): ask the original for it, by
/// `original()`.  O(n + m).  Throws bad_graph
/// where indices are not dense.
inline constexpr detail::as_boost_graph_fn as_boost_graph{};

/// A weight (any callable on vertices of the original graph) as a readable property map on the descriptors of the copy,
/// to which it refers: make_property_map(b, &operation::microseconds).
inline constexpr detail::make_property_map_fn make_property_map{};

/// The same for edges: f(u, v) is called with the vertex that is read and its reader.
inline constexpr detail::make_edge_property_map_fn make_edge_property_map{};

}  // namespace repebble::inline v0

/// The property maps of a `boost_copy` are those of its base.
template <class Vertex, class Tag>
struct boost::property_map<repebble::boost_copy<Vertex>, Tag, void>
    : boost::property_map<repebble::boost_csr_graph, Tag> {};

#endif
