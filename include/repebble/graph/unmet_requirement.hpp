#ifndef REPEBBLE_GRAPH_UNMET_REQUIREMENT_HPP
#define REPEBBLE_GRAPH_UNMET_REQUIREMENT_HPP

// Readable compile errors for types that are not graphs: the first requirement that a type lacks, as a type whose name
// is the message, and the base classes of function objects that put it there.

#include <type_traits>

#include <repebble/graph/concepts.hpp>

namespace repebble::inline v0 {

/// The reasons for which a type is not a graph. The compiler's message names one of these types.
namespace unmet {
struct no_graph_traits_for_this_type_specialise_it_or_include_its_adaptor_header;
struct graph_traits_has_no_vertices_that_takes_a_graph;
struct vertices_does_not_return_a_range_of_copyable_vertices;
struct graph_traits_has_no_successors_that_takes_a_graph_and_a_vertex;
struct successors_does_not_return_a_range_of_vertices;
struct graph_traits_has_no_vertex_index_that_takes_a_graph_and_a_vertex;
struct vertex_index_does_not_return_a_number;
struct graph_traits_has_no_predecessors_which_bidirectional_would_derive;
struct predecessors_does_not_return_a_range_of_vertices;
struct nothing;
}  // namespace unmet

namespace detail {

template <class T>
struct named {
    using type = T;
};

/// The first requirement that `Graph` (without reference) does not meet; its traits may name one themselves.
template <class Graph>
constexpr auto find_unmet_requirement() {
    using namespace unmet;
    using traits = graph_traits<Graph>;
    if constexpr (!has_graph_traits<Graph>) {
        return named<no_graph_traits_for_this_type_specialise_it_or_include_its_adaptor_header>{};
    } else if constexpr (requires { typename traits::unmet_requirement; }) {
        return named<typename traits::unmet_requirement>{};
    } else if constexpr (!requires(Graph const& g) { traits::vertices(g); }) {
        return named<graph_traits_has_no_vertices_that_takes_a_graph>{};
    } else if constexpr (!has_vertices<Graph>) {
        return named<vertices_does_not_return_a_range_of_copyable_vertices>{};
    } else if constexpr (!requires(Graph const& g, vertex_t<Graph> const& v) { traits::successors(g, v); }) {
        return named<graph_traits_has_no_successors_that_takes_a_graph_and_a_vertex>{};
    } else if constexpr (!has_successors<Graph>) {
        return named<successors_does_not_return_a_range_of_vertices>{};
    } else if constexpr (!requires(Graph const& g, vertex_t<Graph> const& v) { traits::vertex_index(g, v); }) {
        return named<graph_traits_has_no_vertex_index_that_takes_a_graph_and_a_vertex>{};
    } else if constexpr (!has_vertex_index<Graph>) {
        return named<vertex_index_does_not_return_a_number>{};
    } else if constexpr (!requires(Graph const& g, vertex_t<Graph> const& v) { traits::predecessors(g, v); }) {
        return named<graph_traits_has_no_predecessors_which_bidirectional_would_derive>{};
    } else if constexpr (!has_predecessors<Graph>) {
        return named<predecessors_does_not_return_a_range_of_vertices>{};
    } else {
        return named<nothing>{};
    }
}

}  // namespace detail

/// The requirement of `computation_graph` (or, where that is met, of `bidirectional_graph`) that `Graph` does not meet:
/// one of the types in `unmet`, or the type `unmet_requirement` of its `graph_traits`.
template <class Graph>
using unmet_requirement = typename decltype(detail::find_unmet_requirement<std::remove_cvref_t<Graph>>())::type;

namespace detail {

/// Base of the function objects whose first argument is a graph. A call with any other type selects this deleted
/// overload, so that the compiler's message is one line that names the unmet requirement; std::invocable is false for
/// it.
struct takes_graph {
    template <class Graph, class... Rest, class UnmetRequirement = unmet_requirement<Graph>>
        requires(!computation_graph<Graph>)
    void operator()(Graph const&, Rest const&...) const = delete;
};

/// The same where the graph must be bidirectional.
struct takes_bidirectional_graph {
    template <class Graph, class... Rest, class UnmetRequirement = unmet_requirement<Graph>>
        requires(!bidirectional_graph<Graph>)
    void operator()(Graph const&, Rest const&...) const = delete;
};

}  // namespace detail

}  // namespace repebble::inline v0

#endif
