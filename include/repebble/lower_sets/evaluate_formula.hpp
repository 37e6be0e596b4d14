#ifndef REPEBBLE_LOWER_SETS_EVALUATE_FORMULA_HPP
#define REPEBBLE_LOWER_SETS_EVALUATE_FORMULA_HPP

// Formulas (1) and (2) of Kusumoto et al. 2019: overhead and peak of a sequence of lower sets, without a schedule. The
// checker of all searches in this room: their results are compared with it.

#include <repebble/lower_sets/formula_result.hpp>
#include <repebble/lower_sets/lower_set_problem.hpp>

namespace repebble::inline v0 {

/// Evaluates formulas (1) and (2) of Kusumoto et al. 2019 on a sequence of k lower sets. `keep_last`: the last segment
/// is kept, not recomputed.  Requires: the sets are lower sets of the problem's graph.  O(n + m).
[[nodiscard]] auto evaluate_formula(lower_set_problem const& problem, lower_set_sequence const& sequence,
                                    bool keep_last = false) -> formula_result;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/lower_sets/evaluate_formula.ipp>
#endif

#endif
