#ifndef REPEBBLE_GRAPH_UNMET_WEIGHT_HPP
#define REPEBBLE_GRAPH_UNMET_WEIGHT_HPP

// Names the weight that does not fit a graph's vertices, for the compiler's message: what takes a graph with weights has
// a deleted overload that is chosen where weights are wrong.

#include <concepts>
#include <cstdint>

#include <repebble/graph/concepts.hpp>
#include <repebble/graph/unmet_requirement.hpp>
#include <repebble/graph/weights.hpp>

namespace repebble::inline v0 {

/// Ways in which weights may not fit a graph.
namespace unmet {
struct weights_time_is_no_callable_on_vertices;
struct weights_time_does_not_return_a_number;
struct weights_memory_is_no_callable_on_vertices;
struct weights_memory_does_not_return_a_number;
struct weights_workspace_does_not_return_a_number_for_a_vertex;
struct weights_recomputable_does_not_return_a_bool_for_a_vertex;
struct weights_result_does_not_return_a_bool_for_a_vertex_or_an_output;
}  // namespace unmet

namespace detail {

template <class Weights, class Graph>
constexpr auto find_unmet_weight() {
    using namespace unmet;
    using vertex = vertex_t<Graph>;
    using time = decltype(Weights::time);
    using memory = decltype(Weights::memory);
    if constexpr (!std::invocable<time const&, vertex const&>)
        return named<weights_time_is_no_callable_on_vertices>{};
    else if constexpr (!vertex_weight<time, Graph>)
        return named<weights_time_does_not_return_a_number>{};
    else if constexpr (!std::invocable<memory const&, vertex const&> &&
                       !std::invocable<memory const&, vertex const&, std::uint32_t>)
        return named<weights_memory_is_no_callable_on_vertices>{};
    else if constexpr (!memory_weight<memory, Graph>)
        return named<weights_memory_does_not_return_a_number>{};
    else if constexpr (!vertex_weight<decltype(Weights::workspace), Graph>)
        return named<weights_workspace_does_not_return_a_number_for_a_vertex>{};
    else if constexpr (!std::predicate<decltype(Weights::recomputable) const&, vertex const&>)
        return named<weights_recomputable_does_not_return_a_bool_for_a_vertex>{};
    else
        return named<weights_result_does_not_return_a_bool_for_a_vertex_or_an_output>{};
}

}  // namespace detail

/// The weight of `Weights` that does not fit the vertices of `Graph`: one of the types in `unmet`.
template <class Weights, computation_graph Graph>
using unmet_weight = typename decltype(detail::find_unmet_weight<Weights, Graph>())::type;

namespace detail {

/// Base of the function objects that take a graph and its weights: a call with weights that do not fit selects this
/// deleted overload.
struct takes_weights {
    template <computation_graph Graph, class... W, class... Rest,
              class UnmetRequirement = unmet_weight<weights<W...>, Graph>>
        requires(!weights_for<weights<W...>, Graph>)
    void operator()(Graph const&, weights<W...> const&, Rest const&...) const = delete;
};

}  // namespace detail

}  // namespace repebble::inline v0

#endif
