#ifndef REPEBBLE_RECOMPUTE_SAVE_SET_HPP
#define REPEBBLE_RECOMPUTE_SAVE_SET_HPP

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/graph/training/training_graph.hpp>
#include <repebble/graph/vertex_set.hpp>
#include <repebble/pebbling/liveness.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/recompute/detail/on_forward_graphs.hpp>
#include <repebble/recompute/detail/plan_preference.hpp>
#include <repebble/recompute/detail/recompute_closure.hpp>
#include <repebble/recompute/planning_graph.hpp>
#include <repebble/recompute/recompute_plan.hpp>
#include <repebble/recompute/strategy_options.hpp>

namespace repebble::inline v0 {

namespace detail {

struct save_set_fn : on_forward_graphs<save_set_fn> {
    using on_forward_graphs<save_set_fn>::operator();

    /// Of the options it heeds the budget, the goal and `nearest`.
    template <quantity Time>
    [[nodiscard]] auto operator()(training_graph<Time> const& training, strategy_options const& options = {}) const
        -> std::optional<recompute_plan<Time>> {
        planning_graph<Time> const graph(training);
        auto const& flow = graph.flow();
        auto const makers = producers_of(graph);
        auto const order = cheapest_first(graph);
        plan_preference<Time> const prefer{options, false};
        using candidate = typename plan_preference<Time>::candidate;
        std::optional<std::pair<candidate, schedule<>>> best;
        vertex_set dropped(flow.operation_count());
        for (std::size_t k = 0;; ++k) {
            auto plan = liveness(flow, computations(graph, makers, dropped));
            auto const cost = replay(flow, plan);
            candidate const found{cost.time, cost.peak};
            if (!best || prefer(found, best->first)) best = {found, std::move(plan)};
            // The more is dropped, the longer it takes.
            if (k == order.size() || (options.budget && options.goal == objective::time && prefer.fits(found))) break;
            dropped.insert(order[k]);
        }
        if (!prefer.fits(best->first) && !options.nearest) return std::nullopt;
        return plan_of(graph, best->second);
    }

  private:
    /// Forward operations whose values can be dropped, least time per byte first.
    template <quantity Time>
    static auto cheapest_first(planning_graph<Time> const& graph) -> std::vector<operation_index> {
        auto const& flow = graph.flow();
        std::vector<std::pair<double, operation_index>> by_density;
        for (operation_index v = 0; v < flow.operation_count(); ++v) {
            if (graph.number(v) == graph.none || !flow.recomputable(v)) continue;
            bytes held = 0;
            for (auto const value : flow.writes(v))
                for (auto const owner : flow.owners(value)) held = checked_add(held, flow.size(owner));
            if (held > 0) by_density.emplace_back(static_cast<double>(flow.time(v)) / static_cast<double>(held), v);
        }
        std::ranges::sort(by_density);
        std::vector<operation_index> order;
        for (auto const& [density, v] : by_density) order.push_back(v);
        return order;
    }

    /// The forward pass, and the backward pass with what was dropped computed again once, where it is first read.
    template <quantity Time>
    static auto computations(planning_graph<Time> const& graph, std::vector<operation_index> const& makers,
                             vertex_set const& dropped) -> std::vector<operation_index> {
        auto const& flow = graph.flow();
        std::vector<operation_index> steps;
        vertex_set there(flow.value_count());
        auto const run = [&](operation_index v) {
            steps.push_back(v);
            for (auto const value : flow.writes(v)) there.insert(value);
            return true;
        };
        for (auto const v : flow.order()) {
            if (graph.number(v) == graph.none) continue;
            steps.push_back(v);
            if (!dropped.contains(v))
                for (auto const value : flow.writes(v)) there.insert(value);
        }
        auto const is_there = [&](value_index value) { return there.contains(value); };
        for (auto const v : flow.order())
            if (graph.number(v) == graph.none)
                static_cast<void>(run_with_inputs(
                    flow, makers, v, is_there, [](operation_index) {}, run));
        return steps;
    }
};

}  // namespace detail

/// Saves some forward values for the backward pass and computes the others again, once each, just before the first
/// gradient that reads them: what partitioners of joint graphs do (PyTorch's, by a greedy choice). Values are dropped
/// in the order of time per byte, least first, and as few as the budget asks for; without a budget, as many as makes
/// the peak least. Takes a training graph and options, or any forward graph with a budget. Nothing where none fits. O(n
/// · steps).
inline constexpr detail::save_set_fn save_set{};

}  // namespace repebble::inline v0

#endif
