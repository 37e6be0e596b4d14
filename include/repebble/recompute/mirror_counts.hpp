#ifndef REPEBBLE_RECOMPUTE_MIRROR_COUNTS_HPP
#define REPEBBLE_RECOMPUTE_MIRROR_COUNTS_HPP

// Division of the forward pass into segments by a byte limit: T. Chen, B. Xu, C. Zhang, C. Guestrin 2016, Algorithm 3,
// and where every position is a cut, the division that keeps the fewest bytes. The result is a set of mirror counts for
// `mirror`. The segment search calls it for many limits.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/recompute/detail/segments/crossing_values.hpp>
#include <repebble/recompute/mirror.hpp>
#include <repebble/recompute/planning_graph.hpp>
#include <repebble/recompute/segment_cuts.hpp>

namespace repebble::inline v0 {

/// Result of Algorithm 3 of Chen et al. 2016 for one limit.
struct mirror_plan {
    std::vector<std::uint32_t> counts{};  ///< m(v) of every operation of the training graph, for `mirror`
    bytes between = 0;                    ///< x: bytes kept between segments
    bytes within = 0;                     ///< y: bytes of the largest segment that ends with a cut
    std::size_t segments = 0;             ///< how many there are

    friend auto operator==(mirror_plan const&, mirror_plan const&) -> bool = default;
};

/// Places where segments may end: the cuts of one kind, or, if given, those of `groups`: each a set of forward
/// operations that are kept together.
struct segment_candidates {
    cut_points where = cut_points::automatic;                           ///< the kind of cuts
    std::optional<std::vector<std::vector<operation_index>>> groups{};  ///< in place of that kind
};

namespace detail {

template <quantity Time>
[[nodiscard]] auto cuts_of(planning_graph<Time> const& graph, std::span<std::uint32_t const> order,
                           segment_candidates const& candidates) -> std::vector<segment_cut> {
    segment_cuts<Time> const cuts(graph, order);
    return candidates.groups ? cuts.at(*candidates.groups) : cuts.at(candidates.where);
}
/// Whether every position is a candidate.
template <quantity Time>
[[nodiscard]] auto are_everywhere(planning_graph<Time> const& graph, std::span<std::uint32_t const> order,
                                  segment_candidates const& candidates) -> bool {
    return !candidates.groups && segment_cuts<Time>(graph, order).resolved(candidates.where) == cut_points::everywhere;
}

/// The division at cuts of an order. The last segment is kept if asked.
template <quantity Time>
[[nodiscard]] auto mirrors_between(planning_graph<Time> const& graph, std::span<std::uint32_t const> order,
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

/// Algorithm 3, with counts by forward number. Operations that may run only once are kept.
template <quantity Time>
[[nodiscard]] auto plan_mirrors(planning_graph<Time> const& graph, std::span<std::uint32_t const> order,
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

/// Converts counts by forward number to counts by operation of the training graph.
template <quantity Time>
[[nodiscard]] auto counts_by_operation(planning_graph<Time> const& graph, std::span<std::uint32_t const> by_number)
    -> std::vector<std::uint32_t> {
    std::vector<std::uint32_t> counts(graph.training().flow.operation_count(), 0);
    for (std::size_t f = 0; f < by_number.size(); ++f) counts[graph.owner(graph.forward(f))] = by_number[f];
    return counts;
}

struct plan_mirrors_fn {
    template <quantity Time>
    [[nodiscard]] auto operator()(training_graph<Time> const& training, bytes budget,
                                  segment_candidates const& candidates = {},
                                  forward_order how = forward_order::by_index) const -> mirror_plan {
        if (budget < 0)
            detail::raise(bad_weight("the budget of a segment must not be negative: " + std::to_string(budget)));
        planning_graph<Time> const graph(training);
        auto const order = ordered_numbers(graph, how);
        auto plan = [&] {
            if (!are_everywhere<Time>(graph, order, candidates))
                return plan_mirrors<Time>(graph, order, cuts_of<Time>(graph, order, candidates), budget, false);
            crossing_values const crossing(graph, order);
            return mirrors_between<Time>(graph, order, crossing, crossing.cheapest_cuts(budget), false);
        }();
        plan.counts = counts_by_operation(graph, plan.counts);
        return plan;
    }
};

}  // namespace detail

/// Chen et al. 2016, Algorithm 3, to the letter: walks through the forward pass and ends a segment at the first
/// candidate cut after more than `budget` bytes. The values kept at the cut have count 0, all others 1, also in the
/// last segment. `mirror(training, [&](auto v) { return plan.counts[v]; })` makes a schedule of it. A cut may keep
/// several vertices, for graphs without articulation points. Where every position is a candidate, the cuts are those
/// that keep the fewest bytes with no segment of more than `budget` bytes, but of one operation. O(n + m + kept) after
/// the cuts; everywhere O(n · operations in a segment), at most 10⁸ steps. Throws bad_graph where a candidate is no
/// forward operation, bad_weight where the budget is negative.
inline constexpr detail::plan_mirrors_fn plan_mirrors{};

}  // namespace repebble::inline v0

#endif
