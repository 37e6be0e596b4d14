#ifndef REPEBBLE_IMPL_RECOMPUTE_SAVE_SET_IPP
#define REPEBBLE_IMPL_RECOMPUTE_SAVE_SET_IPP

#include <repebble/recompute/save_set.hpp>

#include <algorithm>
#include <functional>
#include <utility>

#include <repebble/detail/run_with_inputs.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/detail/sort_by.hpp>
#include <repebble/graph/detail/limit_test.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/recompute/detail/plan_of.hpp>
#include <repebble/recompute/detail/plan_preference.hpp>
#include <repebble/recompute/detail/recomputing_operations.hpp>

namespace repebble::inline v0::detail {

/// Returns the forward operations whose values can be dropped, in ascending order of time per byte.
[[nodiscard]] inline auto cheapest_first(planning_graph const& graph) -> std::vector<operation_index> {
    auto const& flow = graph.flow();
    std::vector<std::pair<double, operation_index>> by_density;
    for (operation_index v = 0; v < flow.operation_count(); ++v) {
        if (graph.number(v) == graph.none || !flow.recomputable(v)) continue;
        bytes size = 0;
        for (auto const value : flow.writes(v))
            for (auto const owner : flow.owners(value)) size = checked_add(size, flow.size(owner));
        if (size > 0) by_density.emplace_back(static_cast<double>(flow.time(v)) / static_cast<double>(size), v);
    }
    sort_by(by_density, std::less<>{});
    std::vector<operation_index> order;
    for (auto const& [density, v] : by_density) order.push_back(v);
    return order;
}

/// Returns the forward pass, then the backward pass with each dropped value recomputed before its first reader.
[[nodiscard]] inline auto save_set_computations(planning_graph const& graph,
                                                std::vector<std::optional<operation_index>> const& recomputed_by,
                                                vertex_set const& dropped) -> std::vector<operation_index> {
    auto const& flow = graph.flow();
    std::vector<operation_index> steps, pending;
    vertex_set resident(flow.value_count());
    auto const run = [&](operation_index v) {
        steps.push_back(v);
        for (auto const value : flow.writes(v)) resident.insert(value);
        return true;
    };
    for (auto const v : flow.order()) {
        if (graph.number(v) == graph.none) continue;
        steps.push_back(v);
        if (!dropped.contains(v))
            for (auto const value : flow.writes(v)) resident.insert(value);
    }
    auto const is_resident = [&](value_index value) { return resident.contains(value); };
    for (auto const v : flow.order())
        if (graph.number(v) == graph.none)
            static_cast<void>(run_with_inputs(
                v, flow.operation_count(), pending, [&](operation_index u) { return flow.reads(u); }, is_resident,
                [&](value_index value) { return recomputed_by[value]; }, run));
    return steps;
}

REPEBBLE_INLINE auto save_cheapest(planning_graph const& graph, budget_options const& options, stop_test stop)
    -> std::optional<recompute_plan<>> {
    constexpr std::size_t most_numbers = 2000, numbers_at_once = 32;
    auto const& flow = graph.flow();
    auto const recomputed_by = recomputing_operations(graph);
    auto const order = cheapest_first(graph);
    plan_preference const prefer{options.budget, options.goal, false};
    using time_and_peak = typename plan_preference::time_and_peak;
    std::optional<std::pair<time_and_peak, schedule<>>> best;
    std::size_t best_number = 0;
    // All numbers of dropped values where these are few; else some, and more of them around the best.
    for (std::size_t first = 0, last = order.size();;) {
        auto const stride =
            order.size() <= most_numbers ? 1 : std::max<std::size_t>(1, (last - first) / numbers_at_once);
        for (auto k = first;; k = std::min(k + stride, last)) {
            if (stop()) return std::nullopt;
            vertex_set dropped(flow.operation_count());
            for (std::size_t i = 0; i < k; ++i) dropped.insert(order[i]);
            auto plan = make_schedule(flow, save_set_computations(graph, recomputed_by, dropped));
            auto const cost = cost_of_trial(flow, plan);
            time_and_peak const found{cost.time, cost.peak};
            if (!best || prefer(found, best->first)) {
                best = {found, std::move(plan)};
                best_number = k;
            }
            // Each further drop only adds time.
            bool const is_enough = options.budget && options.goal == objective::time && prefer.fits(found);
            if (is_enough || k == last) break;
        }
        if (stride == 1) break;
        first = best_number - std::min(best_number, stride);
        last = std::min(best_number + stride, order.size());
    }
    if (!prefer.fits(best->first) && !options.nearest) return std::nullopt;
    return plan_of(graph, std::move(best->second));
}

}  // namespace repebble::inline v0::detail

namespace repebble::inline v0 {

REPEBBLE_INLINE auto save_set(problem const& p, optional_budget given, strategy_options const& options)
    -> std::optional<recompute_plan<>> {
    std::optional<bytes> const budget = given;
    detail::limit_test limit(options.limits);
    return detail::save_cheapest(planning_graph(detail::training_of(p)), detail::with_budget(options, budget), limit);
}

}  // namespace repebble::inline v0

#endif
