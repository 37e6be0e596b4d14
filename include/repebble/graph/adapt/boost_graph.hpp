#ifndef REPEBBLE_GRAPH_ADAPT_BOOST_GRAPH_HPP
#define REPEBBLE_GRAPH_ADAPT_BOOST_GRAPH_HPP

// Boost graphs as computation graphs: adjacency_list, compressed_sparse_row_graph, adjacency_matrix, reverse_graph,
// filtered_graph and whatever has their member types. Nothing is copied. Invariant: a graph that lacks a requirement
// names it in the compiler's message (unmet_requirement.hpp).

#include <concepts>
#include <cstddef>
#include <ranges>
#include <type_traits>
#include <utility>

#include <boost/graph/graph_traits.hpp>
#include <boost/graph/properties.hpp>

#include <repebble/graph/adapt/property_map.hpp>
#include <repebble/graph/concepts.hpp>
#include <repebble/graph/forwarded_members.hpp>
#include <repebble/graph/graph_traits.hpp>

namespace boost {  // declared here, so that only their users include their headers
template <typename VertexProperty, typename EdgeProperty, typename GraphProperty>
class directed_graph;
template <typename Graph, typename EdgePredicate, typename VertexPredicate>
class filtered_graph;
}  // namespace boost

namespace repebble::inline v0 {

namespace unmet {
struct edges_of_this_boost_graph_have_no_direction;
struct this_boost_graph_has_no_vertex_index_map_give_it_one_by_with_index_map;
}  // namespace unmet

/// A type with the member types that every Boost graph has.
template <class Graph>
concept boost_graph = requires {
    typename Graph::vertex_descriptor;
    typename Graph::edge_descriptor;
    typename Graph::directed_category;
    typename Graph::edge_parallel_category;
    typename Graph::traversal_category;
};

namespace detail {

/// Calls of Boost's functions by argument-dependent lookup; the declarations hide repebble's functions of the same
/// names.
namespace boost_call {

void get();
void adjacent_vertices();
void in_edges();
void num_vertices();
void out_edges();
void source();
void target();
void vertices();

template <class Pair>
[[nodiscard]] constexpr auto as_range(Pair const& ends) {
    return std::ranges::subrange(ends.first, ends.second);
}
template <class Graph>
[[nodiscard]] constexpr auto all(Graph const& g) {
    return as_range(vertices(g));
}
template <class Graph>
[[nodiscard]] constexpr auto count(Graph const& g) -> std::size_t {
    return static_cast<std::size_t>(num_vertices(g));
}
template <class Graph, class Vertex>
[[nodiscard]] constexpr auto after(Graph const& g, Vertex v) {
    if constexpr (requires { adjacent_vertices(v, g); }) {
        return as_range(adjacent_vertices(v, g));
    } else {
        return as_range(out_edges(v, g)) | std::views::transform([&g](auto const& e) { return target(e, g); });
    }
}
template <class Graph, class Vertex>
[[nodiscard]] constexpr auto before(Graph const& g, Vertex v) {
    return as_range(in_edges(v, g)) | std::views::transform([&g](auto const& e) { return source(e, g); });
}
template <class Graph, class Vertex>
concept has_index = requires(Graph const& g, Vertex const& v) {
    { get(boost::vertex_index, g, v) } -> std::convertible_to<std::size_t>;
};
template <class Graph, class Vertex>
[[nodiscard]] constexpr auto index(Graph const& g, Vertex v) -> std::size_t {
    return static_cast<std::size_t>(get(boost::vertex_index, g, v));
}

}  // namespace boost_call

template <class Graph>
concept directed_boost_graph =
    std::convertible_to<typename boost::graph_traits<Graph>::directed_category, boost::directed_tag>;

template <class Graph>
concept two_way_boost_graph =
    directed_boost_graph<Graph> &&
    std::convertible_to<typename boost::graph_traits<Graph>::traversal_category, boost::bidirectional_graph_tag>;

/// A directed_graph stores indices beside the vertex properties of its user.
template <class Graph>
inline constexpr bool has_hidden_index = false;
template <class VertexProperty, class EdgeProperty, class GraphProperty>
inline constexpr bool has_hidden_index<boost::directed_graph<VertexProperty, EdgeProperty, GraphProperty>> = true;

/// num_vertices of a filtered_graph counts the filtered vertices, too.
template <class Graph>
inline constexpr bool counts_hidden_vertices = false;
template <class Graph, class EdgePredicate, class VertexPredicate>
inline constexpr bool counts_hidden_vertices<boost::filtered_graph<Graph, EdgePredicate, VertexPredicate>> = true;

/// Whether get(boost::vertex_index, g, v) can be compiled: for a boost::adjacency_list that stores no index for its
/// vertices it is an error inside Boost.
template <class Graph>
[[nodiscard]] consteval auto may_have_boost_index() -> bool {
    using stored = typename boost::vertex_property_type<Graph>::type;
    if constexpr (std::integral<typename boost::graph_traits<Graph>::vertex_descriptor> || std::is_void_v<stored> ||
                  has_hidden_index<Graph>) {
        return true;
    } else {
        return boost::lookup_one_property<stored, boost::vertex_index_t>::found;
    }
}
template <class Graph>
concept indexed_boost_graph = may_have_boost_index<Graph>() &&
                              boost_call::has_index<Graph, typename boost::graph_traits<Graph>::vertex_descriptor>;

template <class Graph>
struct unmet_by_boost_graph {};
template <class Graph>
    requires(!directed_boost_graph<Graph>)
struct unmet_by_boost_graph<Graph> {
    using unmet_requirement = unmet::edges_of_this_boost_graph_have_no_direction;
};
template <class Graph>
    requires(directed_boost_graph<Graph> && !indexed_boost_graph<Graph>)
struct unmet_by_boost_graph<Graph> {
    using unmet_requirement = unmet::this_boost_graph_has_no_vertex_index_map_give_it_one_by_with_index_map;
};

/// The member vertex_count of traits, where Boost counts right.
template <class Graph>
struct boost_vertex_count {
    static constexpr auto vertex_count(Graph const& g) -> std::size_t { return boost_call::count(g); }
};
template <class Graph>
    requires counts_hidden_vertices<Graph>
struct boost_vertex_count<Graph> {};

}  // namespace detail

/// Traits of a Boost graph: vertices are its descriptors, indices those of its vertex index map. Use it as a base for
/// your own specialisation of `graph_traits` where the graph has more to say (outputs, views), or where its type names
/// its descriptors in boost::graph_traits only:
///     template <> struct repebble::graph_traits<net> : repebble::boost_graph_traits<net> {
///         static auto output_count(net const& g, vertex v) { return g[v].outputs; }
///     };
/// Asks for VertexListGraph, and AdjacencyGraph or IncidenceGraph; BidirectionalGraph adds predecessors. Edges must be
/// directed: an undirected graph is one for `undirected_graph::of`. Parallel edges are all passed on; algorithms accept
/// them and `verify_graph` reports them.
template <class Graph>
struct boost_graph_traits : detail::unmet_by_boost_graph<Graph>, detail::boost_vertex_count<Graph> {
    using vertex = typename boost::graph_traits<Graph>::vertex_descriptor;

    static constexpr auto vertices(Graph const& g) { return detail::boost_call::all(g); }
    static constexpr auto successors(Graph const& g, vertex v)
        requires detail::directed_boost_graph<Graph>
    {
        return detail::boost_call::after(g, v);
    }
    static constexpr auto predecessors(Graph const& g, vertex v)
        requires detail::two_way_boost_graph<Graph>
    {
        return detail::boost_call::before(g, v);
    }
    static constexpr auto neighbors(Graph const& g, vertex v)
        requires(!detail::directed_boost_graph<Graph>)
    {
        return detail::boost_call::after(g, v);
    }
    static constexpr auto vertex_index(Graph const& g, vertex v) -> std::size_t
        requires detail::indexed_boost_graph<Graph>
    {
        return detail::boost_call::index(g, v);
    }
};

/// Traits of every Boost graph. The index map of a filtered_graph is that of the whole graph: where vertices are
/// filtered out, use `with_index_map`. A filtered_graph or reverse_graph has vertices and edges only: what a
/// specialisation of `graph_traits` says of the graph inside does not come through; `induced` and `reversed` say what
/// they pass on.
template <boost_graph Graph>
struct graph_traits<Graph> : boost_graph_traits<Graph> {};

/// A Boost graph with an external index map. Refers to the graph, which must outlive it.
template <class Graph, readable_property_map IndexMap>
struct with_boost_index {
    Graph const* graph;               ///< the Boost graph
    property_reader<IndexMap> index;  ///< the numbers of its vertices

    /// The Boost graph.
    [[nodiscard]] constexpr auto base() const noexcept -> Graph const& { return *graph; }
};

namespace detail {

/// The traits of a Boost graph, with all that a specialisation for its type adds.
template <class Graph>
struct traits_of_boost_graph : boost_graph_traits<Graph> {};
template <class Graph>
    requires requires(Graph const& g) { graph_traits<Graph>::vertices(g); }
struct traits_of_boost_graph<Graph> : graph_traits<Graph> {};

/// The member vertex_count of an indexed graph, where its traits have it.
template <class Indexed, class Graph>
struct boost_index_count {};
template <class Indexed, class Graph>
    requires requires(Graph const& g) { traits_of_boost_graph<Graph>::vertex_count(g); }
struct boost_index_count<Indexed, Graph> {
    static constexpr auto vertex_count(Indexed const& g) -> std::size_t {
        return traits_of_boost_graph<Graph>::vertex_count(g.base());
    }
};

}  // namespace detail

template <class Graph, class IndexMap>
struct graph_traits<with_boost_index<Graph, IndexMap>>
    : detail::boost_index_count<with_boost_index<Graph, IndexMap>, Graph>,
      forwarded_members<with_boost_index<Graph, IndexMap>, Graph> {
    using indexed = with_boost_index<Graph, IndexMap>;
    using base = detail::traits_of_boost_graph<Graph>;
    using vertex = typename boost_graph_traits<Graph>::vertex;

    static constexpr auto vertices(indexed const& g) { return base::vertices(g.base()); }
    static constexpr auto successors(indexed const& g, vertex v) { return base::successors(g.base(), v); }
    static constexpr auto predecessors(indexed const& g, vertex v)
        requires detail::two_way_boost_graph<Graph>
    {
        return base::predecessors(g.base(), v);
    }
    static constexpr auto vertex_index(indexed const& g, vertex v) -> std::size_t {
        return static_cast<std::size_t>(g.index(v));
    }
};

namespace detail {
struct with_index_map_fn {
    template <directed_boost_graph Graph, readable_property_map IndexMap>
    [[nodiscard]] constexpr auto operator()(Graph const& g, IndexMap index) const {
        return with_boost_index<Graph, IndexMap>{&g, property_reader<IndexMap>(std::move(index))};
    }
    template <directed_boost_graph Graph, readable_property_map IndexMap>
    void operator()(Graph const&&, IndexMap) const = delete;  // the graph must outlive the adaptor
};
}  // namespace detail

/// Adds a readable property map from vertices to 0 … n-1 to a directed Boost graph that has no index map (listS, setS)
/// or not a dense one (filtered_graph). All else that traits of the graph say (outputs, results …) stays.
inline constexpr detail::with_index_map_fn with_index_map{};

}  // namespace repebble::inline v0

#endif
