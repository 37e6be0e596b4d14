#ifndef REPEBBLE_IMPL_LOWER_SETS_SOLVE_LOWER_SETS_IPP
#define REPEBBLE_IMPL_LOWER_SETS_SOLVE_LOWER_SETS_IPP

#include <repebble/lower_sets/solve_lower_sets.hpp>

#include <limits>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/lower_sets/detail/module_lower_sets.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE best_lower_set_search::best_lower_set_search(lower_set_problem const& problem, std::size_t limit,
                                                             stop_test stop)
    : problem_(&problem), all_(all_lower_sets::within(problem, limit, stop)) {
    if (all_) return;
    auto const pruned = problem.vertex_count() + 2;
    auto const size = std::max(pruned, std::min(limit, std::max(2 * pruned, few)));
    family_ = std::make_shared<lower_set_family const>(problem, module_lower_sets(problem.graph, size, stop), stop);
}

REPEBBLE_INLINE auto best_lower_set_search::bounded(lower_set_curve const& curve, lower_set_options const& options,
                                                    stop_test stop) const -> lower_set_curve {
    if (all_ || curve.breakpoints().empty()) return curve;
    // Breakpoint k is the best one within all budgets below that of breakpoint k - 1.
    std::vector<bytes> budgets{options.budget.value_or(std::numeric_limits<bytes>::max())};
    for (auto const& b : curve.breakpoints().first(curve.breakpoints().size() - 1)) budgets.push_back(b.budget - 1);
    auto const bounds = overhead_bound(*problem_, options.goal, options.keep_last, stop)(budgets, stop);
    std::vector<typename lower_set_curve::breakpoint> breakpoints(curve.breakpoints().begin(),
                                                                  curve.breakpoints().end());
    for (std::size_t k = 0; k < breakpoints.size(); ++k) {
        auto& b = breakpoints[k];
        b.bound = options.goal == objective::time ? std::min(*bounds[k], b.overhead) : std::max(*bounds[k], b.overhead);
    }
    return {std::move(breakpoints), curve};
}

}  // namespace repebble::inline v0::detail

#endif
