#ifndef REPEBBLE_RECOMPUTE_SEARCH_SEGMENTS_HPP
#define REPEBBLE_RECOMPUTE_SEARCH_SEGMENTS_HPP

// Search over segment limits: T. Chen, B. Xu, C. Zhang, C. Guestrin 2016, section 4.3 and appendix A. Tries Algorithm 3
// over a geometric grid of limits and returns every trial; `segment_plan` returns the best. Invariants: equal trials
// are evaluated once, and the result does not depend on the number of threads.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <repebble/graph/detail/shared_limit.hpp>
#include <repebble/graph/optional_budget.hpp>
#include <repebble/graph/training/problem.hpp>
#include <repebble/recompute/planning_graph.hpp>
#include <repebble/recompute/segment_trial.hpp>

namespace repebble::inline v0 {

/// All trials of a search over segment limits.
struct segment_search_result {
    std::vector<segment_trial> tried{};  ///< √n segments first, then by limit, then those that keep more
    std::size_t best = 0;                ///< index of the fastest trial that fits; without a budget, of the smallest
    bool fits = false;                   ///< whether the best trial fits the budget, if there is one

    /// The best of the plans that were tried. Its peak is the largest number of bytes where no plan keeps control edges
    /// and mutations.
    [[nodiscard]] auto winner() const -> segment_trial const& { return tried[best]; }
    friend auto operator==(segment_search_result const&, segment_search_result const&) -> bool = default;
};

namespace detail {

/// The order in which trials are preferred, the least first: those that fit by time, others by size.
[[nodiscard]] inline auto trial_rank(segment_trial const& t, std::optional<bytes> budget) {
    bool const fits = !budget || t.size <= *budget;
    return std::tuple(!fits, budget && fits ? t.plan.cost.time : std::int64_t{}, t.size, t.plan.cost.time);
}

/// Of a planning graph; without a trial where it was ended before the first.
[[nodiscard]] auto search_segments(planning_graph const& graph, segment_request const& options, shared_limit& limit)
    -> segment_search_result;

}  // namespace detail

/// The search of Chen et al. 2016, section 4.3 and appendix A, with all its trials: Algorithm 3 for B = 0, for B = √(x
/// y) with the x and y of the first, and for a grid between B / √2 and √2 · B; and `sqrt_segments`, so that no plan is
/// worse than that of √n segments. Where the smallest plan lies at an end of the grid, up to 16 limits beyond it
/// follow, one after another. Every plan is measured by its final memory, steps in place included. Where the paper
/// recomputes the last segment, it is kept here: nothing runs between it and its gradients.
///
/// Where every position is a cut, of equal segments those whose cuts keep the fewest bytes are tried, by a shortest
/// path over the positions; and segments that get shorter, each limited together with all that is kept before it: what
/// is kept after a segment is gone when its gradients run, so that a chain takes √(2 n) instead of 2 √n. Where
/// candidates are `automatic` and articulation points are not enough, both are searched, and the better trials
/// returned. See `segment_plan`, whose objective and kinds of cuts it does not heed. Throws limit_reached where limits
/// end it before the first plan, which they do only in graphs of more than 10⁵ operations.
[[nodiscard]] auto search_segments(problem const& p, optional_budget budget = {}, segment_options const& options = {})
    -> segment_search_result;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/recompute/search_segments.ipp>
#endif

#endif
