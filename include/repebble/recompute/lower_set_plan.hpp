#ifndef REPEBBLE_RECOMPUTE_LOWER_SET_PLAN_HPP
#define REPEBBLE_RECOMPUTE_LOWER_SET_PLAN_HPP

// Plans by sequences of lower sets: M. Kusumoto, T. Inoue, G. Watanabe, T. Akiba, M. Koyama 2019, section 4: the exact
// and the approximate algorithm, and exhaustive search.

#include <optional>

#include <repebble/graph/optional_budget.hpp>
#include <repebble/graph/training/problem.hpp>
#include <repebble/recompute/lower_set_plan_options.hpp>
#include <repebble/recompute/recompute_plan.hpp>

namespace repebble::inline v0 {

/// The best plan by a sequence of lower sets of the forward graph, within a budget or, without one, of the least peak.
/// Returns nothing where none fits.
///
/// Over all lower sets, judged by replay (default): the optimum of `best_canonical`, that is, of the schedules that
/// `canonical` makes of sequences of lower sets, the least overhead whose replayed peak fits; without a budget, or with
/// objective memory, the least peak. Its `epsilon` is proven for the replayed schedule: 0 is exact. A canonical
/// schedule makes views again with their owner, and the plan is without those that nobody reads then: where views take
/// time, another plan may be without more of them, so that `epsilon` counts the time of all and may exceed that of the
/// options. Where limits end that search, or it does not apply (joint graphs, views of several owners), the best
/// replayed schedule among those on the curve by formulas and on that of the pruned family. Judged by formula:
/// Kusumoto et al. 2019, section 4.2, the exact optimum of (1) under (2) with epsilon 0. Where there are more lower
/// sets than the limits allow, it searches a family of them (`module_lower_sets`), and `lower_sets` of the plan is its
/// size; `epsilon` is then proven against all lower sets (`overhead_bound`, `canonical_choice::floor`), and may exceed
/// the epsilon of the options. The cost of `best_canonical`, or of `solve_lower_sets` and some replays.
///
/// Over the pruned family: O(n² (|∂| + frontier)) and some replays; not the best over all lower sets.
///
/// Over every sequence, by depth-first search: exact in the objective of the options. O(#L^n): for small graphs.
/// Without epsilon or threads. Throws limit_reached beyond the limits.
///
/// Ended before its first curve, any of the others returns √n segments (`sqrt_segments`), where they fit; of more than
/// 10⁵ operations, backward pass included, nothing. Throws
/// limit_reached, at once, for more than 2¹⁵ forward operations, 2¹⁷ with the pruned family: a set for each of them
/// takes n² bits, and searches over all lower sets have several such lists.
///
/// Throws bad_graph where the problem has no gradients, bad_option where the time limit is negative or not a number, or
/// there is no thread, bad_weight where epsilon is no share.
[[nodiscard]] auto lower_set_plan(problem const& p, optional_budget budget = {},
                                  lower_set_plan_options const& options = {}) -> std::optional<recompute_plan<>>;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/recompute/lower_set_plan.ipp>
#endif

#endif
