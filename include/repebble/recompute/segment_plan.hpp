#ifndef REPEBBLE_RECOMPUTE_SEGMENT_PLAN_HPP
#define REPEBBLE_RECOMPUTE_SEGMENT_PLAN_HPP

// The strategy of segments within a budget: T. Chen, B. Xu, C. Zhang, C. Guestrin 2016, section 4.3. Runs
// segment_search.hpp and returns its best plan. Each forward operation is recomputed at most once.

#include <optional>

#include <repebble/graph/optional_budget.hpp>
#include <repebble/graph/training/problem.hpp>
#include <repebble/recompute/recompute_plan.hpp>
#include <repebble/recompute/segment_trial.hpp>

namespace repebble::inline v0 {

/// The best plan of `search_segments`. The forward pass is cut into segments at candidate vertices: by default at
/// articulation points, and where these are not enough at every position of the orders by index and depth first, so
/// that towers may run one after the other; or at narrow places, or any set. Values that a later segment reads are
/// kept; the others are recomputed where gradients read them, at most once: in built training graphs at most one more
/// forward pass. With a budget, returns the plan of least overhead that fits it, else the plan of least memory; nothing
/// where none fits. Ended by `limits`, the best of the plans so far, √n segments at least. Memory is that of an arena,
/// of shared blocks or the replayed peak, with steps in place where `may_overwrite` (as of `write_in_place`) allows
/// them.
///
/// Some ten to forty plans of O((n + m) log n), where every
/// position is a cut also O(n · operations in a segment), at most 10⁸ steps, for each limit; and arenas of those that
/// may be best; with `keep_expensive` up to 1200 plans more for the smallest and as many for the best, most often a
/// tenth of that. Throws bad_graph where there are no gradients or a candidate is no forward operation, bad_option
/// where there is no thread, bad_buffer where the alignment is below 1, bad_graph also where control edges
/// or mutations among forward operations forbid every order that is tried.
[[nodiscard]] auto segment_plan(problem const& p, optional_budget budget = {}, segment_options const& options = {})
    -> std::optional<recompute_plan<>>;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/recompute/segment_plan.ipp>
#endif

#endif
