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
struct a_member_of_graph_traits_is_misspelt_did_you_mean_predecessors;
struct a_member_of_graph_traits_is_misspelt_did_you_mean_vertex_count;
struct a_member_of_graph_traits_is_misspelt_did_you_mean_output_count;
struct a_member_of_graph_traits_is_misspelt_did_you_mean_outputs_read;
struct a_member_of_graph_traits_is_misspelt_did_you_mean_is_view_or_views;
struct a_member_of_graph_traits_is_misspelt_did_you_mean_value_of;
struct a_member_of_graph_traits_is_misspelt_did_you_mean_is_result;
struct a_member_of_graph_traits_is_misspelt_did_you_mean_is_input;
struct a_member_of_graph_traits_is_misspelt_did_you_mean_is_donated;
struct a_member_of_graph_traits_is_misspelt_did_you_mean_mutates;
struct a_member_of_graph_traits_is_misspelt_did_you_mean_may_overwrite;
struct vertex_count_of_graph_traits_must_take_the_graph;
struct output_count_of_graph_traits_must_take_the_graph_and_a_vertex;
struct outputs_read_of_graph_traits_must_take_the_graph_and_two_vertices;
struct operands_of_graph_traits_must_take_the_graph_and_a_vertex;
struct is_view_of_graph_traits_must_take_the_graph_and_a_vertex;
struct views_of_graph_traits_must_take_the_graph_a_vertex_and_an_output;
struct value_of_of_graph_traits_must_take_the_graph_a_vertex_and_an_output;
struct is_result_of_graph_traits_must_take_the_graph_a_vertex_and_an_output;
struct is_input_of_graph_traits_must_take_the_graph_and_a_vertex;
struct is_donated_of_graph_traits_must_take_the_graph_and_a_vertex;
struct mutates_of_graph_traits_must_take_the_graph_a_vertex_and_an_output;
struct may_overwrite_of_graph_traits_must_take_the_graph_a_vertex_an_output_and_an_output_ref;
struct the_problem_is_the_first_argument_and_the_budget_the_next;
struct make_problem_or_make_training_problem_makes_a_problem_of_the_graph;
struct the_budget_in_bytes_is_missing;
struct the_budget_comes_before_the_options;
struct the_budget_is_a_whole_number_of_bytes;
struct several_budgets_are_a_span_of_bytes;
struct a_problem_has_weights_of_its_own;
struct nothing;
}  // namespace unmet

namespace detail {

template <class T>
struct named {
    using type = T;
};

/// The optional member of `Graph`'s traits that is misspelt, or takes other arguments.
template <class Graph>
constexpr auto find_unknown_member() {
    using namespace unmet;
    using misspelt = traits_with_misspelt_names<graph_traits<Graph>>;
    if constexpr (!inheritable<graph_traits<Graph>>) {
        return named<nothing>{};
    } else if constexpr (!spells_predecessors<misspelt>) {
        return named<a_member_of_graph_traits_is_misspelt_did_you_mean_predecessors>{};
    } else if constexpr (!spells_vertex_count<misspelt>) {
        return named<a_member_of_graph_traits_is_misspelt_did_you_mean_vertex_count>{};
    } else if constexpr (!spells_output_count<misspelt>) {
        return named<a_member_of_graph_traits_is_misspelt_did_you_mean_output_count>{};
    } else if constexpr (!spells_outputs_read<misspelt>) {
        return named<a_member_of_graph_traits_is_misspelt_did_you_mean_outputs_read>{};
    } else if constexpr (!spells_views<misspelt>) {
        return named<a_member_of_graph_traits_is_misspelt_did_you_mean_is_view_or_views>{};
    } else if constexpr (!spells_value_of<misspelt>) {
        return named<a_member_of_graph_traits_is_misspelt_did_you_mean_value_of>{};
    } else if constexpr (!spells_is_result<misspelt>) {
        return named<a_member_of_graph_traits_is_misspelt_did_you_mean_is_result>{};
    } else if constexpr (!spells_is_input<misspelt>) {
        return named<a_member_of_graph_traits_is_misspelt_did_you_mean_is_input>{};
    } else if constexpr (!spells_is_donated<misspelt>) {
        return named<a_member_of_graph_traits_is_misspelt_did_you_mean_is_donated>{};
    } else if constexpr (!spells_mutates<misspelt>) {
        return named<a_member_of_graph_traits_is_misspelt_did_you_mean_mutates>{};
    } else if constexpr (!spells_may_overwrite<misspelt>) {
        return named<a_member_of_graph_traits_is_misspelt_did_you_mean_may_overwrite>{};
    } else if constexpr (!calls_vertex_count<Graph>) {
        return named<vertex_count_of_graph_traits_must_take_the_graph>{};
    } else if constexpr (!calls_output_count<Graph>) {
        return named<output_count_of_graph_traits_must_take_the_graph_and_a_vertex>{};
    } else if constexpr (!calls_outputs_read<Graph>) {
        return named<outputs_read_of_graph_traits_must_take_the_graph_and_two_vertices>{};
    } else if constexpr (!calls_operands<Graph>) {
        return named<operands_of_graph_traits_must_take_the_graph_and_a_vertex>{};
    } else if constexpr (!calls_is_view<Graph>) {
        return named<is_view_of_graph_traits_must_take_the_graph_and_a_vertex>{};
    } else if constexpr (!calls_views<Graph>) {
        return named<views_of_graph_traits_must_take_the_graph_a_vertex_and_an_output>{};
    } else if constexpr (!calls_value_of<Graph>) {
        return named<value_of_of_graph_traits_must_take_the_graph_a_vertex_and_an_output>{};
    } else if constexpr (!calls_is_result<Graph>) {
        return named<is_result_of_graph_traits_must_take_the_graph_a_vertex_and_an_output>{};
    } else if constexpr (!calls_is_input<Graph>) {
        return named<is_input_of_graph_traits_must_take_the_graph_and_a_vertex>{};
    } else if constexpr (!calls_is_donated<Graph>) {
        return named<is_donated_of_graph_traits_must_take_the_graph_and_a_vertex>{};
    } else if constexpr (!calls_mutates<Graph>) {
        return named<mutates_of_graph_traits_must_take_the_graph_a_vertex_and_an_output>{};
    } else if constexpr (!calls_may_overwrite<Graph>) {
        return named<may_overwrite_of_graph_traits_must_take_the_graph_a_vertex_an_output_and_an_output_ref>{};
    } else {
        return named<nothing>{};
    }
}

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
    } else if constexpr (!knows_all_members<Graph>) {
        return find_unknown_member<Graph>();
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
