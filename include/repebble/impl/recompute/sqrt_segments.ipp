#ifndef REPEBBLE_IMPL_RECOMPUTE_SQRT_SEGMENTS_IPP
#define REPEBBLE_IMPL_RECOMPUTE_SQRT_SEGMENTS_IPP

#include <repebble/recompute/sqrt_segments.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/articulation_points.hpp>
#include <repebble/graph/topological_order.hpp>
#include <repebble/graph/vertex_set.hpp>
#include <repebble/lower_sets/evaluate_formula.hpp>
#include <repebble/recompute/canonical.hpp>
#include <repebble/recompute/detail/plan_of.hpp>
#include <repebble/recompute/detail/segments/crossing_values.hpp>
#include <repebble/recompute/mirror.hpp>
#include <repebble/recompute/segment_cuts.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto sqrt_sequence(lower_set_problem const& problem) -> lower_set_sequence {
    auto const& g = problem.graph;
    std::size_t const n = problem.vertex_count();
    auto const length = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(n))));
    vertex_set cuts(n), reached(n);
    for (auto const v : articulation_points(g)) cuts.insert(v);
    lower_set_sequence sequence{std::vector<std::uint32_t>(n, 0), 0};
    std::size_t left = n, before = 0;
    std::vector<std::size_t> fresh;  // the ancestors of a cut that no segment has
    for (auto const v : kahn_order(g, false, false)) {
        if (++before < n - left + length || !cuts.contains(v) || reached.contains(v)) continue;
        reached.insert(v);
        fresh.assign(1, v);
        for (std::size_t k = 0; k < fresh.size(); ++k)
            for (auto const u : g.predecessors(fresh[k])) {
                if (reached.contains(u)) continue;
                reached.insert(u);
                fresh.push_back(u);
            }
        if (fresh.size() < length) {
            for (auto const u : fresh) reached.erase(u);
            continue;
        }
        for (auto const u : fresh) sequence.segment[u] = static_cast<std::uint32_t>(sequence.count);
        left -= fresh.size();
        ++sequence.count;
    }
    if (left == 0) return sequence;
    for (std::size_t v = 0; v < n; ++v)
        if (!reached.contains(v)) sequence.segment[v] = static_cast<std::uint32_t>(sequence.count);
    ++sequence.count;
    return sequence;
}

REPEBBLE_INLINE auto sqrt_sequence(planning_graph const& graph, std::span<std::uint32_t const> order)
    -> lower_set_sequence {
    auto const length = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(order.size()))));
    lower_set_sequence sequence{std::vector<std::uint32_t>(order.size(), 0), order.empty() ? 0U : 1U};
    std::size_t begin = 0;
    for (auto const cut : crossing_values(graph, order).cuts_every(length).positions) {
        for (auto i = begin; i <= cut; ++i) sequence.segment[order[i]] = static_cast<std::uint32_t>(sequence.count - 1);
        begin = cut + 1;
        ++sequence.count;
    }
    for (auto i = begin; i < order.size(); ++i)
        sequence.segment[order[i]] = static_cast<std::uint32_t>(sequence.count - 1);
    return sequence;
}

REPEBBLE_INLINE auto best_sqrt_segments(planning_graph const& graph, stop_test stop)
    -> std::optional<std::pair<lower_set_sequence, recompute_plan<>>> {
    constexpr std::size_t quick = 100'000;  // operations
    auto const is_over = [&] { return graph.flow().operation_count() > quick && stop(); };
    using planned = std::optional<std::pair<lower_set_sequence, recompute_plan<>>>;
    auto const plan_by = [&](lower_set_sequence sequence) -> planned {
        if (is_over()) return std::nullopt;
        auto made = canonical_until(graph, sequence, is_over);
        if (!made || is_over()) return std::nullopt;
        auto tried = trial_of(graph, *std::move(made), is_over);
        if (tried.cost.peak == peak_of_illegal && is_over()) return std::nullopt;
        return std::pair(std::move(sequence), std::move(tried));
    };
    auto best = plan_by(sqrt_sequence(graph.problem()));
    for (auto const how : {order_rule::by_index, order_rule::depth_first}) {
        if (!best || is_over()) break;
        auto const order = ordered_numbers(graph, how);
        if (segment_cuts(graph, order).resolved(cut_points::automatic) != cut_points::everywhere) break;
        auto other = plan_by(sqrt_sequence(graph, order));
        if (other && other->second.cost.peak < best->second.cost.peak) best = std::move(other);
    }
    return best;
}

}  // namespace repebble::inline v0::detail

namespace repebble::inline v0 {

REPEBBLE_INLINE auto sqrt_segments(problem const& p) -> recompute_plan<> {
    planning_graph const graph(detail::training_of(p));
    auto [sequence, tried] = *detail::best_sqrt_segments(graph);
    auto plan = detail::checked_plan(graph.training().flow, std::move(tried));
    plan.segments = sequence.count;
    if (graph.formulas_apply()) plan.formula = evaluate_formula(graph.problem(), sequence);
    return plan;
}

}  // namespace repebble::inline v0

#endif
