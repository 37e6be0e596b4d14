#ifndef REPEBBLE_RECOMPUTE_SQRT_SEGMENTS_HPP
#define REPEBBLE_RECOMPUTE_SQRT_SEGMENTS_HPP

// The √n rule: T. Chen, B. Xu, C. Zhang, C. Guestrin 2016, Algorithm 1. Segments of about √n operations, cut at
// articulation points. Needs no budget and no search; the segment search uses it as its first trial.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include <repebble/graph/articulation_points.hpp>
#include <repebble/graph/reachability.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/graph/vertex_set.hpp>
#include <repebble/lower_sets/formula.hpp>
#include <repebble/recompute/canonical.hpp>
#include <repebble/recompute/detail/plan_of.hpp>
#include <repebble/recompute/lower_set_plan.hpp>
#include <repebble/recompute/planning_graph.hpp>

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

struct sqrt_segments_fn {
    template <quantity Time>
    [[nodiscard]] auto operator()(training_graph<Time> const& training) const -> lower_set_plan<Time> {
        planning_graph<Time> const graph(training);
        auto const sequence = sqrt_sequence(graph.problem());
        lower_set_plan<Time> plan{{plan_of(graph, canonical(graph, sequence)), sequence.count}};
        if (graph.formulas_apply()) plan.formula = evaluate_formula(graph.problem(), sequence);
        return plan;
    }
};

}  // namespace detail

/// Plan of segments of about √n operations, cut at articulation points of the forward graph. Values that a later
/// segment reads are kept, the others recomputed: O(√n) memory on a chain, for one more forward pass. A graph without
/// articulation points is one segment. Takes no budget; the plan's `segments` is their number. O(n² / 64 + n + m).
inline constexpr detail::sqrt_segments_fn sqrt_segments{};

}  // namespace repebble::inline v0

#endif
