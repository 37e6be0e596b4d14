#ifndef REPEBBLE_IMPL_PLANNER_BASELINES_BASELINE_PLANS_IPP
#define REPEBBLE_IMPL_PLANNER_BASELINES_BASELINE_PLANS_IPP

#include <repebble/planner/detail/baselines/baseline_plans.hpp>

#include <algorithm>
#include <cstddef>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/dataflow/detail/plain_dataflow.hpp>
#include <repebble/graph/detail/deadline_observer.hpp>
#include <repebble/planner/detail/model/deadline.hpp>
#include <repebble/planner/detail/starts/exact_start.hpp>
#include <repebble/recompute/chain_plan.hpp>
#include <repebble/recompute/decomposition_plan.hpp>
#include <repebble/recompute/greedy_eviction.hpp>
#include <repebble/recompute/lower_set_plan.hpp>
#include <repebble/recompute/save_set.hpp>
#include <repebble/recompute/segment_plan.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto baseline_plans::candidates(bytes budget, bool saving, function_ref<std::optional<double>()> left)
    -> std::vector<candidate> {
    auto const& e = effort_;
    std::vector<candidate> all;
    if (!is_applicable()) return all;
    auto const try_within = [&](double least_seconds, char const* name, auto const& strategy) {
        auto const seconds = left();
        if (seconds && *seconds < least_seconds) return;
        deadline const clock(seconds, hears_);
        if (auto const found = strategy([&] { return clock.is_over(e.baseline_share); }))
            all.push_back({name, contract(computations_of(found->schedule))});
    };
    budget_options const options{.budget = budget};
    try_within(e.greedy_seconds, "greedy_eviction",
               [&](stop_test stop) { return evict_greedily(*graph_, options, most_steps_of_eviction, stop); });
    auto const n = static_cast<double>(training_->flow.operation_count());
    if (saving)
        try_within(e.save_set_seconds_of_pair * n * n, "save_set",
                   [&](stop_test stop) { return save_cheapest(*graph_, options, stop); });
    try_within(e.chain_seconds, "chain", [&](stop_test stop) { return chain_start(*graph_, budget, stop); });
    if (training_->made_by != convention::joint || training_->flow.operation_count() > e.most_exact_operations)
        return all;
    // Small ones in which gradients belong to no vertices: they have no canonical start.
    problem const p(*training_);
    try_within(e.chain_seconds, "segments", [&](stop_test stop) {
        return segment_plan(
            p, budget,
            {.every_kind = true, .keep_expensive = true, .measure = memory_measure::peak, .limits = {.stop = stop}});
    });
    try_within(e.chain_seconds, "stages", [&](stop_test stop) {
        return chain_plan(p, budget, {.narrow_places = true, .limits = {.stop = stop}});
    });
    try_within(e.chain_seconds, "lower_sets", [&](stop_test stop) {
        return lower_set_plan(p, budget, {.limits = {.work = e.most_canonical_lower_sets, .stop = stop}});
    });
    return all;
}

REPEBBLE_INLINE auto baseline_plans::decomposed(bytes budget, std::optional<double> seconds) const -> std::optional<candidate> {
    auto const& e = effort_;
    auto const& flow = contracted_.flow();
    auto const n = flow.operation_count();
    if (n > e.most_divided_flow || !sums_fit(flow)) return std::nullopt;
    if (seconds && *seconds < e.divided_seconds_per_operation * static_cast<double>(n)) return std::nullopt;
    auto most = e.divided_per_operation * (n + e.divided_more_operations);  // computations
    // Arenas of longer ones would take more than the rest of the limit.
    constexpr double most_seconds = 1e9;
    if (seconds)
        most = std::min(most, static_cast<std::size_t>(std::min(*seconds, most_seconds) * e.divided_per_second));
    deadline const clock(seconds, hears_);
    auto const found = plan_by_separators(flow, {{.limits = {.work = most}}, budget}, [&] { return clock.is_over(1); });
    if (!found) return std::nullopt;
    return candidate{"decomposition", computations_of(found->schedule)};
}

REPEBBLE_INLINE auto baseline_plans::canonical(bytes budget, std::optional<std::int64_t> known, std::optional<double> seconds,
                             double share) -> std::optional<candidate> {
    if (!is_applicable() || !is_ordered_by_data(training_->flow)) return std::nullopt;
    std::optional<std::int64_t> below;
    if (known) below = *known - training_->flow.time_once();
    deadline_observer<listener const> limited(hears_, seconds);
    auto found = canonical_start(*graph_, budget, below, share, effort_, limited);
    if (!found) return std::nullopt;
    return candidate{"best_canonical", contract(*found)};
}

REPEBBLE_INLINE auto baseline_plans::is_applicable() -> bool {
    if (training_ == nullptr || training_->flow.operation_count() > effort_.most_baseline_flow ||
        !sums_fit(training_->flow))
        return false;
    if (!graph_) graph_.emplace(*training_);
    return true;
}

REPEBBLE_INLINE auto baseline_plans::contract(std::vector<operation_index> const& operations) const -> std::vector<operation_index> {
    std::vector<operation_index> all;
    for (auto const v : operations)
        if (auto const c = contracted_.representative[v]; contracted_.members[c].front() == v) all.push_back(c);
    return all;
}

}  // namespace repebble::inline v0::detail

#endif
