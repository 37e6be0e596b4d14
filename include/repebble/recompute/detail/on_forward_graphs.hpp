#ifndef REPEBBLE_RECOMPUTE_DETAIL_ON_FORWARD_GRAPHS_HPP
#define REPEBBLE_RECOMPUTE_DETAIL_ON_FORWARD_GRAPHS_HPP

// The overload of strategies for a caller's forward graph: makes its training graph (value_grad), plans it, and
// translates the plan into the caller's vertices.

#include <optional>
#include <utility>

#include <repebble/graph/concepts.hpp>
#include <repebble/graph/training/gradient_needs.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/graph/training/training_vertices.hpp>
#include <repebble/graph/unmet_requirement.hpp>
#include <repebble/graph/weights.hpp>
#include <repebble/recompute/recompute_plan.hpp>

namespace repebble::inline v0::detail {

/// Runs a strategy on the training graph (value_grad) of a forward graph; returns its plan in the caller's vertices.
template <computation_graph Graph, class Weights, class Dependencies, class Strategy>
[[nodiscard]] auto plan_forward_graph(Graph const& g, Weights const& w, Dependencies const& depends,
                                      Strategy&& strategy) {
    auto const training = make_training_graph(g, w, depends);
    auto const found = strategy(training);
    training_vertices const of_caller(g, training);
    using plan = decltype(map_vertices(*found, of_caller));
    return found ? std::optional<plan>(map_vertices(*found, of_caller)) : std::nullopt;
}

/// Base of a strategy for training graphs: adds the overload for a forward graph with a budget (CRTP). `Options` are
/// those of the strategy, with a member `budget`.
template <class Strategy, class Options>
struct on_forward_graphs {
    /// Names the requirement that keeps a type from being either.
    template <class Graph, class... Rest, class UnmetRequirement = unmet_requirement<Graph>>
        requires(!computation_graph<Graph> && !is_training_graph<Graph>)
    void operator()(Graph const&, Rest const&...) const = delete;

    template <computation_graph Graph, vertex_weight<Graph> Time = unit_weight,
              memory_weight<Graph> Memory = unit_weight, class I = always, class O = always, class P = always>
    [[nodiscard]] auto operator()(Graph const& g, bytes budget, Time time = {}, Memory memory = {},
                                  gradient_dependencies<I, O, P> const& depends = {}) const {
        return plan_forward_graph(g, weights{std::move(time), std::move(memory)}, depends, [&](auto const& training) {
            return static_cast<Strategy const&>(*this)(training, Options{.budget = budget});
        });
    }
};

}  // namespace repebble::inline v0::detail

#endif
