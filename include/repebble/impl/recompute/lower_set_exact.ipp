#ifndef REPEBBLE_IMPL_RECOMPUTE_LOWER_SET_EXACT_IPP
#define REPEBBLE_IMPL_RECOMPUTE_LOWER_SET_EXACT_IPP

#include <repebble/recompute/lower_set_exact.hpp>

#include <algorithm>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/lower_sets/objective.hpp>
#include <repebble/lower_sets/overhead_bound.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto lower_set_exact_fn::loss_over_all(lower_set_problem const& problem, formula_result const& cost,
                                        lower_set_plan_options const& options) -> double {
    overhead_bound const bound(problem, options.goal, options.keep_last);
    std::int64_t const best = bound(std::max(options.budget.value_or(0), cost.peak)).value_or(cost.overhead);
    std::int64_t const loss = options.goal == objective::time ? cost.overhead - best : best - cost.overhead;
    return loss > std::int64_t{} ? static_cast<double>(loss) / static_cast<double>(total_time(problem)) : 0.0;
}

}  // namespace repebble::inline v0::detail

#endif
