#ifndef REPEBBLE_RECOMPUTE_DETAIL_CANONICAL_PLAN_BY_OPTIONS_HPP
#define REPEBBLE_RECOMPUTE_DETAIL_CANONICAL_PLAN_BY_OPTIONS_HPP

// From strategy options to best_canonical and back to a plan: budget and objective, all lower sets or a family where
// there are too many, and the proven epsilon. Used by lower_set_plan.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include <repebble/detail/next_representable.hpp>
#include <repebble/graph/detail/deadline_observer.hpp>
#include <repebble/graph/lower_sets/detail/module_lower_sets.hpp>
#include <repebble/lower_sets/evaluate_formula.hpp>
#include <repebble/lower_sets/objective.hpp>
#include <repebble/recompute/best_canonical.hpp>
#include <repebble/recompute/canonical.hpp>
#include <repebble/recompute/detail/canonical/search_by_replay.hpp>
#include <repebble/recompute/detail/canonical/watched_search.hpp>
#include <repebble/recompute/detail/plan_of.hpp>
#include <repebble/recompute/planning_graph.hpp>
#include <repebble/recompute/recompute_plan.hpp>

namespace repebble::inline v0::detail {

/// The best canonical schedule under the options of a strategy, and its proof.
struct canonical_plan {
    std::optional<recompute_plan<>> plan{};
    std::int64_t bound{};  ///< lower bound on the overhead of all plans by canonical schedules within the options
    bool proven = false;  ///< no canonical schedule is better by more than epsilon; without a plan: none exists

    /// Returns the plan with its proven distance from the best as epsilon.
    [[nodiscard]] auto measured(recompute_plan<> found, std::int64_t forward_time) const -> recompute_plan<> {
        auto const loss = std::max(std::int64_t{}, found.cost.overhead - bound);
        found.epsilon =
            forward_time > std::int64_t{} ? static_cast<double>(loss) / static_cast<double>(forward_time) : 0.0;
        return found;
    }
};

/// `best_canonical` over all lower sets or, where these are too many, a family by modules.  Requires: it applies.
[[nodiscard]] inline auto make_canonical_plan(planning_graph const& graph, lower_set_request const& options,
                                              watched_search& limits) -> canonical_plan {
    constexpr std::size_t most_of_family = 1000;
    constexpr std::size_t most_segments = 500'000;  // of a family, which proves no bound anyway
    auto const& problem = graph.problem();
    auto const most = most_lower_sets(options, problem.vertex_count());
    std::int64_t const whole = total_time(problem);
    auto const forward_time = static_cast<double>(whole);
    bool all = true;
    auto const choose = [&](canonical_options const& search_options) {
        if (auto found = best_canonical.within(graph, search_options, most, limits)) return *std::move(found);
        all = false;
        auto const stop = [&] { return limits.is_over(); };
        auto const size = std::max<std::size_t>(1, std::min(most, most_of_family));
        auto limited = search_options;
        limited.segment_limit = most_segments;
        return best_canonical(graph, module_lower_sets(problem.graph, size, stop), limited, limits);
    };
    bool const by_peak = !options.budget || options.goal == objective::memory;
    canonical_options search_options{
        .tolerance = static_cast<std::int64_t>(tolerated_loss(options, forward_time) * forward_time),
        .threads = options.threads};
    if (!by_peak) search_options.budget = options.budget;
    auto choice = choose(search_options);
    // A canonical schedule makes views again with their owner; its plan is without those that nobody reads then.
    auto const bound = [&] {
        return std::max(std::int64_t{}, (all ? choice.bound : choice.floor) - graph.views_time());
    };
    canonical_plan result{{}, bound(), all && search_options.budget && !choice.sequence && choice.bound > whole};
    if (by_peak && !choice.sequence) result.bound = std::int64_t{};
    if (!choice.sequence && options.nearest) {
        search_options.budget.reset();
        result.proven = false;
        choice = choose(search_options);
        if (!choice.sequence)
            result.bound = std::int64_t{};
        else if (!options.budget || choice.peak > *options.budget)
            result.bound = bound();
    }
    if (!choice.sequence) return result;
    result.proven = all && choice.overhead - choice.bound <= search_options.tolerance &&
                    (search_options.budget || choice.peak == choice.least_peak);
    if (options.budget && choice.peak > *options.budget && !options.nearest) return result;
    auto plan = plan_of(graph, canonical(graph, *choice.sequence));
    // The model knows no results: where these stay, a plan needs more than its choice. The bound holds all the same.
    if (plan.cost.peak > choice.peak) {
        result.proven = false;
        if (options.budget && plan.cost.peak > *options.budget && !options.nearest) return result;
    }
    plan.segments = choice.sequence->count;
    plan.formula = evaluate_formula(problem, *choice.sequence, options.keep_last);
    plan.lower_sets = choice.lower_sets;
    result.plan = result.measured(std::move(plan), whole);
    return result;
}

}  // namespace repebble::inline v0::detail

#endif
