#ifndef REPEBBLE_IMPL_RECOMPUTE_PLAN_MIRRORS_IPP
#define REPEBBLE_IMPL_RECOMPUTE_PLAN_MIRRORS_IPP

#include <repebble/recompute/plan_mirrors.hpp>

#include <algorithm>
#include <string>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/error.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto mirrors_between(planning_graph const& graph, std::span<std::uint32_t const> order,
                                     crossing_values const& crossing, chosen_cuts const& chosen, bool keep_last)
    -> mirror_plan {
    auto const& problem = graph.problem();
    mirror_plan plan{.counts = std::vector<std::uint32_t>(order.size(), 1),
                     .between = chosen.kept,
                     .segments = order.empty() ? 0 : chosen.positions.size() + 1};
    for (auto const f : crossing.kept_at(chosen.positions)) plan.counts[f] = 0;
    std::size_t at = 0;
    for (auto const cut : chosen.positions) {
        bytes segment = 0;
        for (; at <= cut; ++at) segment += problem.memory[order[at]];
        plan.within = std::max(plan.within, segment);
    }
    for (; keep_last && at < order.size(); ++at) plan.counts[order[at]] = 0;
    problem.pinned.for_each([&](std::size_t f) { plan.counts[f] = 0; });
    return plan;
}

REPEBBLE_INLINE auto plan_mirrors(planning_graph const& graph, std::span<std::uint32_t const> order,
                                  std::span<segment_cut const> cuts, bytes budget, bool keep_last) -> mirror_plan {
    auto const& problem = graph.problem();
    mirror_plan plan{.counts = std::vector<std::uint32_t>(order.size(), 1), .segments = order.empty() ? 0U : 1U};
    auto const keep = [&](std::uint32_t f) {
        if (plan.counts[f] == 0) return;
        plan.counts[f] = 0;
        plan.between += problem.memory[f];
    };
    bytes segment = 0;
    std::size_t last_begin = 0;
    auto cut = cuts.begin();
    for (std::size_t i = 0; i < order.size(); ++i) {
        segment += problem.memory[order[i]];
        bool ends = false;
        for (; cut != cuts.end() && cut->position == i; ++cut) {
            if (segment <= budget) continue;
            for (auto const f : cut->kept) keep(f);
            ends = true;
        }
        if (!ends) continue;
        plan.within = std::max(plan.within, segment);
        segment = 0;
        last_begin = i + 1;
        if (last_begin < order.size()) ++plan.segments;
    }
    for (std::size_t i = keep_last ? last_begin : order.size(); i < order.size(); ++i) plan.counts[order[i]] = 0;
    problem.pinned.for_each([&](std::size_t f) { plan.counts[f] = 0; });
    return plan;
}

REPEBBLE_INLINE auto counts_by_operation(planning_graph const& graph, std::span<std::uint32_t const> by_number)
    -> std::vector<std::uint32_t> {
    std::vector<std::uint32_t> counts(graph.training().flow.operation_count(), 0);
    for (std::size_t f = 0; f < by_number.size(); ++f) counts[graph.owner(graph.forward(f))] = by_number[f];
    return counts;
}

}  // namespace repebble::inline v0::detail

namespace repebble::inline v0 {

REPEBBLE_INLINE auto plan_mirrors(problem const& p, bytes budget, segment_candidates const& candidates, order_rule how)
    -> mirror_plan {
    if (budget < 0)
        detail::raise(bad_weight("the budget of a segment must not be negative: " + std::to_string(budget)));
    planning_graph const graph(detail::training_of(p));
    auto const order = detail::ordered_numbers(graph, how);
    auto plan = [&] {
        if (!detail::are_everywhere(graph, order, candidates))
            return plan_mirrors(graph, order, detail::cuts_of(graph, order, candidates), budget, false);
        detail::crossing_values const crossing(graph, order);
        return mirrors_between(graph, order, crossing, crossing.cheapest_cuts(budget), false);
    }();
    plan.counts = detail::counts_by_operation(graph, plan.counts);
    return plan;
}

}  // namespace repebble::inline v0

#endif
