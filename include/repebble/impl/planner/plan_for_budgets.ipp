#ifndef REPEBBLE_IMPL_PLANNER_PLAN_FOR_BUDGETS_IPP
#define REPEBBLE_IMPL_PLANNER_PLAN_FOR_BUDGETS_IPP

#include <repebble/planner/detail/plan_for_budgets.hpp>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/planner/detail/plan_freely.hpp>
#include <repebble/planner/detail/policies/plan_with_policies.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto plan_for_budgets(dataflow const& flow, training_graph const* training,
                                           std::span<bytes const> budgets, plan_options const& options,
                                           listener const& hears) -> std::vector<automatic_plan<>> {
    for (auto const budget : budgets) REPEBBLE_ASSERT(budget >= 0);
    if (options.policies.empty()) return plan_freely(flow, training, budgets, options, hears);
    if (options.link) detail::raise(bad_option("plan_options: policies and a link exclude each other"));
    return plan_with_policies(flow, training, budgets, options, hears);
}

}  // namespace repebble::inline v0::detail

#endif
