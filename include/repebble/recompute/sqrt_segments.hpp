#ifndef REPEBBLE_RECOMPUTE_SQRT_SEGMENTS_HPP
#define REPEBBLE_RECOMPUTE_SQRT_SEGMENTS_HPP

// The √n rule: T. Chen, B. Xu, C. Zhang, C. Guestrin 2016, Algorithm 1. Segments of about √n operations, cut at
// articulation points, or where these are not enough at several vertices. Needs no budget and no search; the segment
// search uses it as its first trial.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <repebble/graph/articulation_points.hpp>
#include <repebble/graph/reachability.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/graph/vertex_set.hpp>
#include <repebble/lower_sets/formula.hpp>
#include <repebble/recompute/canonical.hpp>
#include <repebble/recompute/detail/plan_of.hpp>
#include <repebble/recompute/detail/segments/crossing_values.hpp>
#include <repebble/recompute/lower_set_plan.hpp>
#include <repebble/recompute/mirror.hpp>
#include <repebble/recompute/planning_graph.hpp>
#include <repebble/recompute/recompute_plan.hpp>
#include <repebble/recompute/segment_cuts.hpp>

namespace repebble::inline v0 {

namespace detail {

/// Returns the sequence of lower sets that end at articulation points at least √n vertices apart, and V.
template <quantity Time>
[[nodiscard]] auto sqrt_sequence(lower_set_problem<Time> const& problem) -> lower_set_sequence {
    std::size_t const n = problem.vertex_count();
    auto const before = ancestors(problem.graph);
    std::vector<std::pair<std::size_t, std::size_t>> candidates;  // |L^v|, v
    for (auto const v : articulation_points(problem.graph)) candidates.emplace_back(before[v].size(), v);
    std::ranges::sort(candidates);

    auto const length = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(n))));
    std::vector<vertex_set> sets;
    vertex_set reached(n);
    for (auto const& [size, v] : candidates) {
        auto const next = reached | before[v];
        if (next.size() < reached.size() + length) continue;
        sets.push_back(next);
        reached = next;
    }
    sets.push_back(vertex_set::full(n));
    return sequence_of(sets, n);
}

/// Returns the sequence of at most √n operations a segment, in an order, of which the fewest bytes cross the cuts.
template <quantity Time>
[[nodiscard]] auto sqrt_sequence(planning_graph<Time> const& graph, std::span<std::uint32_t const> order)
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

struct sqrt_segments_fn {
    template <quantity Time>
    [[nodiscard]] auto operator()(training_graph<Time> const& training) const -> lower_set_plan<Time> {
        planning_graph<Time> const graph(training);
        auto [sequence, made] = best(graph);
        lower_set_plan<Time> plan{{std::move(made), sequence.count}};
        if (graph.formulas_apply()) plan.formula = evaluate_formula(graph.problem(), sequence);
        return plan;
    }
    /// Of the cuts at articulation points, and where these are not enough of those at several vertices in two orders,
    /// the sequence and plan of least peak.
    template <quantity Time>
    [[nodiscard]] static auto best(planning_graph<Time> const& graph)
        -> std::pair<lower_set_sequence, recompute_plan<Time>> {
        auto const planned = [&](lower_set_sequence sequence) {
            auto made = plan_of(graph, canonical(graph, sequence));
            return std::pair(std::move(sequence), std::move(made));
        };
        auto best = planned(sqrt_sequence(graph.problem()));
        for (auto const how : {forward_order::by_index, forward_order::depth_first}) {
            auto const order = ordered_numbers(graph, how);
            if (segment_cuts<Time>(graph, order).resolved(cut_points::automatic) != cut_points::everywhere) break;
            auto other = planned(sqrt_sequence(graph, order));
            if (other.second.cost.peak < best.second.cost.peak) best = std::move(other);
        }
        return best;
    }
};

}  // namespace detail

/// Plan of segments of about √n operations, cut at articulation points of the forward graph. Values that a later
/// segment reads are kept, the others recomputed: O(√n) memory on a chain, for one more forward pass. Where a part
/// between articulation points has more than 16 and 2 √n operations, positions of the orders by index and depth first are
/// cuts, too, each with the values that cross it, and the plan of least peak is taken: O(√n) on k towers, one after the
/// other, and k more. Takes no budget; the plan's `segments` is their number. O(n² / 64 + n √n + m). Throws
/// illegal_schedule where control edges or mutations among forward operations forbid the order of the segments.
inline constexpr detail::sqrt_segments_fn sqrt_segments{};

}  // namespace repebble::inline v0

#endif
