#ifndef REPEBBLE_IMPL_RECOMPUTE_GREEDY_EVICTION_IPP
#define REPEBBLE_IMPL_RECOMPUTE_GREEDY_EVICTION_IPP

#include <repebble/recompute/greedy_eviction.hpp>

#include <vector>

#include <algorithm>
#include <utility>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/detail/limit_test.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/lower_sets/objective.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/recompute/detail/eviction_state.hpp>
#include <repebble/recompute/detail/plan_of.hpp>
#include <repebble/recompute/keep_all.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto evict_greedily(planning_graph const& graph, budget_options const& options, std::size_t step_limit,
                                    stop_test stop) -> std::optional<recompute_plan<>> {
    auto const& flow = graph.flow();
    auto const within = [&](bytes budget) -> std::optional<schedule<>> {
        auto const computations = eviction_state(graph, budget, step_limit).play(stop);
        if (!computations) return std::nullopt;
        auto plan = make_schedule(flow, *computations);
        if (cost_of_trial(flow, plan).peak > budget) return std::nullopt;
        return plan;
    };
    std::optional<schedule<>> best;
    if (options.budget && options.goal == objective::time) {
        best = within(*options.budget);
        if (best || !options.nearest) return best ? std::optional(plan_of(graph, *std::move(best))) : std::nullopt;
    }
    auto kept = keep_all(flow);
    best = std::move(kept.schedule);
    bytes high = kept.cost.peak;
    for (bytes low = 0; low < high && !stop();) {
        bytes const budget = low + (high - low) / 2;
        if (auto found = within(budget)) {
            high = std::min(budget, replay(flow, *found).peak);
            best = std::move(found);
        } else {
            low = budget + 1;
        }
    }
    auto plan = plan_of(graph, *std::move(best));
    // With views and alternatives everything once takes less in the whole graph than without views.
    if (auto all = keep_all(graph.training()); all.cost.peak < plan.cost.peak) plan = std::move(all);
    if (options.budget && plan.cost.peak > *options.budget && !options.nearest) return std::nullopt;
    return plan;
}

}  // namespace repebble::inline v0::detail

namespace repebble::inline v0 {

REPEBBLE_INLINE auto greedy_eviction(problem const& p, optional_budget given, strategy_options const& options)
    -> std::optional<recompute_plan<>> {
    std::optional<bytes> const budget = given;
    detail::limit_test limit(options.limits);
    auto const evict = [&](training_graph const& training) {
        return detail::evict_greedily(planning_graph(training), detail::with_budget(options, budget),
                                      options.limits.work.value_or(detail::most_steps_of_eviction), limit);
    };
    if (p.training() != nullptr) return evict(*p.training());
    // Without gradients all values are of the forward pass.
    return evict(make_training_graph(p.flow(), std::vector(p.flow().operation_count(), pass::forward)));
}

}  // namespace repebble::inline v0

#endif
