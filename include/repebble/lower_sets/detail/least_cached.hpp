#ifndef REPEBBLE_LOWER_SETS_DETAIL_LEAST_CACHED_HPP
#define REPEBBLE_LOWER_SETS_DETAIL_LEAST_CACHED_HPP

// The memory-centric search of the program published with Kusumoto et al. 2019: a shortest path over lower sets by
// cached bytes, over a family or, by irreducible blocks, over all lower sets.
// Invariant: a smaller cache at a lower set never hurts the remaining sequence, so one entry for each set suffices.

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/graph/vertex_set.hpp>
#include <repebble/lower_sets/detail/family_segments.hpp>
#include <repebble/lower_sets/lower_set_curve.hpp>
#include <repebble/lower_sets/lower_set_family.hpp>
#include <repebble/lower_sets/lower_set_problem.hpp>
#include <repebble/lower_sets/segment_cost.hpp>

namespace repebble::inline v0::detail {

/// Dynamic program with one entry for each lower set: the least cached bytes, then the least overhead.
template <class Segments>
[[nodiscard]] auto least_cached_of(Segments const& segments, bytes budget) -> std::optional<lower_set_sequence> {
    using time = decltype(segments.time());
    struct entry {
        bytes cached;
        time overhead;
        std::size_t before;
    };
    constexpr auto none = std::numeric_limits<std::size_t>::max();
    std::vector<entry> best(segments.size(), entry{0, time{}, none});
    best.front().before = 0;
    for (std::size_t i = 0; i < segments.size(); ++i) {
        if (best[i].before == none) continue;
        segments.for_each_from(i, [&](std::size_t to, auto const& cost) {
            segment_cost const segment = cost();
            if (segment.working > budget - best[i].cached) return;
            entry const found{best[i].cached + segment.cached, best[i].overhead + segment.overhead, i};
            auto& known = best[to];
            if (known.before == none ||
                std::pair(found.cached, found.overhead) < std::pair(known.cached, known.overhead))
                known = found;
        });
    }
    if (best.back().before == none) return std::nullopt;
    std::vector<vertex_set> sets;
    for (auto i = segments.size() - 1; i != 0; i = best[i].before) sets.push_back(segments.make(i));
    std::reverse(sets.begin(), sets.end());
    return lower_set_sequence::of(sets, segments.vertex_count());
}

/// The sequence of lower sets of least cached bytes M(U_k), then of least overhead by formula (1), within a budget by
/// formula (2). Over a family of lower sets, or over all of a problem. This is the memory-centric mode of the program
/// published with Kusumoto et al. 2019. Returns nothing where no sequence fits. O(segments): for a family its pairs of
/// sets, for all lower sets the arcs of irreducible blocks. Throws limit_reached where there are more lower sets than
/// `limit`.
[[nodiscard]] inline auto least_cached(lower_set_family const& family, bytes budget)
    -> std::optional<lower_set_sequence> {
    std::shared_ptr<lower_set_family const> const borrowed(std::shared_ptr<void>{}, &family);
    return least_cached_of(family_segments(borrowed, lower_set_options{}), budget);
}
/// The same, over all lower sets.
[[nodiscard]] auto least_cached(lower_set_problem const& problem, bytes budget, std::size_t limit)
    -> std::optional<lower_set_sequence>;

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/lower_sets/least_cached.ipp>
#endif

#endif
