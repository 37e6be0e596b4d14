#ifndef REPEBBLE_GRAPH_DETAIL_MEMBER_NAMES_HPP
#define REPEBBLE_GRAPH_DETAIL_MEMBER_NAMES_HPP

// Misspelt optional members of graph_traits, found at compile time: a member that nobody asks for would silently add
// nothing to the graph. Method: a type that inherits the traits and a name is ambiguous in that name if the traits have
// it, whatever its signature. `computation_graph` asks for it.

#include <cstdint>
#include <type_traits>

#include <repebble/graph/graph_traits.hpp>

namespace repebble::inline v0::detail {

/// Names near to those of optional members, which traits must not have.
struct misspelt_names {
    int predecessor, vertices_count, num_vertices, outputs_count, num_outputs, output_counts, output_read, read_outputs,
        reads_outputs, is_views, is_a_view, values_of, same_value, is_results, is_output, is_inputs, donated, is_donate,
        mutate, is_mutation, overwrites, can_overwrite, may_overwrites, may_overwite;
};
template <class Traits>
struct traits_with_misspelt_names : Traits, misspelt_names {};

template <class Traits>
concept inheritable = std::is_class_v<Traits> && !std::is_final_v<Traits>;

// Whether no name is near to that of one optional member.
template <class T>
concept spells_predecessors = requires { &T::predecessor; };
template <class T>
concept spells_vertex_count = requires {
    &T::vertices_count;
    &T::num_vertices;
};
template <class T>
concept spells_output_count = requires {
    &T::outputs_count;
    &T::num_outputs;
    &T::output_counts;
};
template <class T>
concept spells_outputs_read = requires {
    &T::output_read;
    &T::read_outputs;
    &T::reads_outputs;
};
template <class T>
concept spells_views = requires {
    &T::is_views;
    &T::is_a_view;
};
template <class T>
concept spells_value_of = requires {
    &T::values_of;
    &T::same_value;
};
template <class T>
concept spells_is_result = requires {
    &T::is_results;
    &T::is_output;
};
template <class T>
concept spells_is_input = requires { &T::is_inputs; };
template <class T>
concept spells_is_donated = requires {
    &T::donated;
    &T::is_donate;
};
template <class T>
concept spells_mutates = requires {
    &T::mutate;
    &T::is_mutation;
};
template <class T>
concept spells_may_overwrite = requires {
    &T::overwrites;
    &T::can_overwrite;
    &T::may_overwrites;
    &T::may_overwite;
};

// Whether an optional member that is one plain function takes the arguments that it is called with.
template <class G, class Traits = graph_traits<G>>
concept calls_vertex_count = !requires { &Traits::vertex_count; } || requires(G const& g) { Traits::vertex_count(g); };
template <class G, class Traits = graph_traits<G>>
concept calls_output_count =
    !requires { &Traits::output_count; } || requires(G const& g, vertex_t<G> const& v) { Traits::output_count(g, v); };
template <class G, class Traits = graph_traits<G>>
concept calls_outputs_read = !requires { &Traits::outputs_read; } ||
                             requires(G const& g, vertex_t<G> const& v) { Traits::outputs_read(g, v, v); };
template <class G, class Traits = graph_traits<G>>
concept calls_operands =
    !requires { &Traits::operands; } || requires(G const& g, vertex_t<G> const& v) { Traits::operands(g, v); };
template <class G, class Traits = graph_traits<G>>
concept calls_is_view =
    !requires { &Traits::is_view; } || requires(G const& g, vertex_t<G> const& v) { Traits::is_view(g, v); };
template <class G, class Traits = graph_traits<G>>
concept calls_views = !requires { &Traits::views; } ||
                      requires(G const& g, vertex_t<G> const& v, std::uint32_t j) { Traits::views(g, v, j); };
template <class G, class Traits = graph_traits<G>>
concept calls_value_of = !requires { &Traits::value_of; } ||
                         requires(G const& g, vertex_t<G> const& v, std::uint32_t j) { Traits::value_of(g, v, j); };
template <class G, class Traits = graph_traits<G>>
concept calls_is_result = !requires { &Traits::is_result; } ||
                          requires(G const& g, vertex_t<G> const& v, std::uint32_t j) { Traits::is_result(g, v, j); };
template <class G, class Traits = graph_traits<G>>
concept calls_is_input =
    !requires { &Traits::is_input; } || requires(G const& g, vertex_t<G> const& v) { Traits::is_input(g, v); };
template <class G, class Traits = graph_traits<G>>
concept calls_is_donated =
    !requires { &Traits::is_donated; } || requires(G const& g, vertex_t<G> const& v) { Traits::is_donated(g, v); };
template <class G, class Traits = graph_traits<G>>
concept calls_mutates = !requires { &Traits::mutates; } ||
                        requires(G const& g, vertex_t<G> const& v, std::uint32_t j) { Traits::mutates(g, v, j); };
template <class G, class Traits = graph_traits<G>>
concept calls_may_overwrite =
    !requires { &Traits::may_overwrite; } || requires(G const& g, vertex_t<G> const& v, std::uint32_t j) {
        Traits::may_overwrite(g, v, j, output_ref<vertex_t<G>>{v, j});
    };

template <class G, class T = traits_with_misspelt_names<graph_traits<G>>>
concept spells_all = spells_predecessors<T> && spells_vertex_count<T> && spells_output_count<T> &&
                     spells_outputs_read<T> && spells_views<T> && spells_value_of<T> && spells_is_result<T> &&
                     spells_is_input<T> && spells_is_donated<T> && spells_mutates<T> && spells_may_overwrite<T>;
template <class G>
concept calls_all = calls_vertex_count<G> && calls_output_count<G> && calls_outputs_read<G> && calls_operands<G> &&
                    calls_is_view<G> && calls_views<G> && calls_value_of<G> && calls_is_result<G> &&
                    calls_is_input<G> && calls_is_donated<G> && calls_mutates<G> && calls_may_overwrite<G>;

/// No optional member is misspelt or takes other arguments than it is called with.
template <class G>
concept knows_all_members = !inheritable<graph_traits<G>> || (spells_all<G> && calls_all<G>);

}  // namespace repebble::inline v0::detail

#endif
