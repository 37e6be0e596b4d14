#ifndef REPEBBLE_RECOMPUTE_FORWARD_PLAN_HPP
#define REPEBBLE_RECOMPUTE_FORWARD_PLAN_HPP

#include <optional>
#include <utility>

#include <repebble/graph/access.hpp>
#include <repebble/graph/training_graph.hpp>
#include <repebble/recompute/recompute_plan.hpp>

namespace repebble {

/// A plan in terms of the caller's own forward vertices.
template <computation_graph Graph, quantity Time = std::int64_t>
using forward_plan = recompute_plan<Time, training_vertex<vertex_t<Graph>>>;

namespace detail {

/// Runs a strategy on the training graph (value_grad) of the caller's forward graph and translates its plan back.
template <computation_graph Graph, class Weights, class Dependencies, class Strategy>
[[nodiscard]] auto plan_forward_graph(Graph const& g, Weights const& w, Dependencies const& depends,
                                      Strategy&& strategy) {
    auto const training = make_training_graph(g, w, depends);
    using time_type = weight_value_t<decltype(w.time), Graph>;
    std::optional<recompute_plan<time_type>> found = strategy(training);
    std::optional<forward_plan<Graph, time_type>> result;
    if (!found) return result;
    auto const by_index = vertices_by_index(g);
    auto const translate = [&](operation_index v) {
        auto const& origin = training.origin[v];
        return training_vertex<vertex_t<Graph>>{by_index[origin.vertex], origin.pass, origin.part};
    };
    result = {map_vertices(found->schedule, translate), std::move(found->cost), found->formula,
              found->segments, found->lower_sets, found->epsilon};
    return result;
}

}  // namespace detail

}  // namespace repebble

#endif
