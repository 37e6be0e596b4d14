#ifndef REPEBBLE_GRAPH_UNMET_REQUIREMENT_HPP
#define REPEBBLE_GRAPH_UNMET_REQUIREMENT_HPP

#include <type_traits>

#include <repebble/graph/concepts.hpp>

namespace repebble::inline v0 {

/// Why a type is no graph. Their names are what a compiler says of a call with such a type.
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

/// The first thing that `Graph`, which is without reference, lacks; traits may say it themselves.
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

/// What keeps `Graph` from being a `computation_graph` or, where it is one, a `bidirectional_graph`: one of the types
/// in `unmet`, or what its `graph_traits` name as `unmet_requirement`.
template <class Graph>
using unmet_requirement = typename decltype(detail::find_unmet_requirement<std::remove_cvref_t<Graph>>())::type;

namespace detail {

/// Base of the function objects whose first argument is a graph. A call with anything else selects this overload, so
/// that the compiler's message is one line, with the unmet requirement in it; it cannot be called, nor does
/// std::invocable say that it can.
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
