#ifndef REPEBBLE_RECOMPUTE_PLAN_MIRRORS_HPP
#define REPEBBLE_RECOMPUTE_PLAN_MIRRORS_HPP

// Division of the forward pass into segments by a byte limit: T. Chen, B. Xu, C. Zhang, C. Guestrin 2016, Algorithm 3,
// and where every position is a cut, the division that keeps the fewest bytes. The result is a set of mirror counts for
// `mirror`. The segment search calls it for many limits.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

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

[[nodiscard]] inline auto cuts_of(planning_graph const& graph, std::span<std::uint32_t const> order,
                                  segment_candidates const& candidates) -> std::vector<segment_cut> {
    segment_cuts const cuts(graph, order);
    return candidates.groups ? cuts.at(*candidates.groups) : cuts.at(candidates.where);
}
/// Whether every position is a candidate.
[[nodiscard]] inline auto are_everywhere(planning_graph const& graph, std::span<std::uint32_t const> order,
                                         segment_candidates const& candidates) -> bool {
    return !candidates.groups && segment_cuts(graph, order).resolved(candidates.where) == cut_points::everywhere;
}

/// The division at cuts of an order. The last segment is kept if asked.
[[nodiscard]] auto mirrors_between(planning_graph const& graph, std::span<std::uint32_t const> order,
                                   crossing_values const& crossing, chosen_cuts const& chosen, bool keep_last)
    -> mirror_plan;

/// Algorithm 3, with counts by forward number. Operations that may run only once are kept.
[[nodiscard]] auto plan_mirrors(planning_graph const& graph, std::span<std::uint32_t const> order,
                                std::span<segment_cut const> cuts, bytes budget, bool keep_last) -> mirror_plan;

/// Converts counts by forward number to counts by operation of the training graph.
[[nodiscard]] auto counts_by_operation(planning_graph const& graph, std::span<std::uint32_t const> by_number)
    -> std::vector<std::uint32_t>;

}  // namespace detail

/// Chen et al. 2016, Algorithm 3, to the letter: walks through the forward pass and ends a segment at the first
/// candidate cut after more than `budget` bytes. The values kept at the cut have count 0, all others 1, also in the
/// last segment. `mirror(training, [&](auto v) { return plan.counts[v]; })` makes a schedule of it. A cut may keep
/// several vertices, for graphs without articulation points. Where every position is a candidate, the cuts are those
/// that keep the fewest bytes with no segment of more than `budget` bytes, but of one operation. O(n + m + kept) after
/// the cuts; everywhere O(n · operations in a segment), at most 10⁸ steps. Throws bad_graph where a candidate is no
/// forward operation, bad_weight where the budget is negative.
[[nodiscard]] auto plan_mirrors(problem const& p, bytes budget, segment_candidates const& candidates = {},
                                order_rule how = order_rule::by_index) -> mirror_plan;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/recompute/plan_mirrors.ipp>
#endif

#endif
