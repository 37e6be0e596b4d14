#ifndef REPEBBLE_IMPL_RECOMPUTE_LOWER_SET_PLAN_IPP
#define REPEBBLE_IMPL_RECOMPUTE_LOWER_SET_PLAN_IPP

#include <repebble/recompute/lower_set_plan.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/no_progress.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/lower_sets/evaluate_formula.hpp>
#include <repebble/lower_sets/lower_set_family.hpp>
#include <repebble/lower_sets/lower_set_limit.hpp>
#include <repebble/lower_sets/lower_set_problem.hpp>
#include <repebble/lower_sets/objective.hpp>
#include <repebble/lower_sets/overhead_bound.hpp>
#include <repebble/lower_sets/solve_lower_sets.hpp>
#include <repebble/recompute/best_canonical.hpp>
#include <repebble/recompute/canonical.hpp>
#include <repebble/recompute/detail/canonical/plan_by_options.hpp>
#include <repebble/recompute/detail/canonical/search_by_replay.hpp>
#include <repebble/recompute/detail/canonical/watched_search.hpp>
#include <repebble/recompute/detail/plan_of.hpp>
#include <repebble/recompute/detail/plan_preference.hpp>
#include <repebble/recompute/lower_set_plan_options.hpp>
#include <repebble/recompute/planning_graph.hpp>

namespace repebble::inline v0 {

namespace detail {

/// Returns a bound on the distance of the overhead from the least (objective memory: greatest) that any lower sets
/// allow within the budget, as a share of the forward time; a weak one from when stop() returns true on.
[[nodiscard]] inline auto loss_over_all(lower_set_problem const& problem, formula_result const& cost,
                                        lower_set_request const& options, stop_test stop) -> double {
    overhead_bound const bound(problem, options.goal, options.keep_last, stop);
    std::int64_t const best = bound(std::max(options.budget.value_or(0), cost.peak), stop).value_or(cost.overhead);
    std::int64_t const loss = options.goal == objective::time ? cost.overhead - best : best - cost.overhead;
    return loss > std::int64_t{} ? static_cast<double>(loss) / static_cast<double>(total_time(problem)) : 0.0;
}

[[nodiscard]] inline auto is_better(std::optional<recompute_plan<>> const& a, std::optional<recompute_plan<>> const& b,
                                    lower_set_request const& options) -> bool {
    plan_preference const prefer{options.budget, options.goal, false};
    return a && (!b || prefer({a->cost.time, a->cost.peak}, {b->cost.time, b->cost.peak}));
}

/// Searches by formulas; judged by replay, among the sequences that are best by formulas.
[[nodiscard]] inline auto search_all(planning_graph const& graph, lower_set_request const& options, bool by_formula,
                                     watched_search& limits) -> std::optional<recompute_plan<>> {
    if (limits.is_over()) return plan_without_search(graph, options, limits);
    auto const stop = [&] { return limits.is_over(); };
    best_lower_set_search const sets(graph.problem(), most_lower_sets(options, graph.problem().vertex_count()), stop);
    auto best = search_while_allowed(graph, sets, options, limits);
    if (by_formula) {
        if (best && (!sets.has_all() || best->lower_sets < sets.size()))
            best->epsilon = loss_over_all(graph.problem(), *best->formula, options, stop);
        return best;
    }
    if (best && limits.is_over()) return best;
    // By replay, a sequence of the pruned family can be better than those that are best by formula (footnote 2).
    auto pruned = search_while_allowed(graph, pruned_family(graph, limits), options, limits);
    if (is_better(pruned, best, options)) {
        pruned->lower_sets = sets.size();
        best = std::move(pruned);
    }
    return best;
}

/// Throws limit_reached where the memory for lists of lower sets does not take one for each forward operation.  O(n).
inline void check_size(training_graph const& training, lower_set_choice sets) {
    auto const& flow = training.flow;
    std::size_t n =
        0;  // without views, as in a planning graph, which is not made first: of millions that takes seconds
    for (operation_index v = 0; v < flow.operation_count(); ++v)
        if (training.origin[v].pass == pass::forward &&
            !std::ranges::all_of(flow.writes(v), [&](auto value) { return flow.is_view(value); }))
            ++n;
    if (n > lower_sets_in_memory(n, sets == lower_set_choice::pruned ? 1 : lists_over_all))
        detail::raise(limit_reached("lower_set_plan: this choice of lower sets of " + std::to_string(n) +
                                    " forward operations takes more than two gibibytes"));
}

/// The best plan over every sequence of lower sets.
[[nodiscard]] inline auto search_every_sequence(planning_graph const& graph, lower_set_request const& options,
                                                watched_search& limits) -> std::optional<recompute_plan<>> {
    constexpr std::size_t most_steps = 10'000'000;
    auto const step_limit = options.limits.work.value_or(most_steps);
    auto const family = lower_set_family::all(graph.problem(), default_lower_sets(graph.problem().vertex_count()),
                                              [&] { return limits.is_over(); });
    bool const by_formula = options.judge == judged_by::formula && graph.formulas_apply();
    bool const keep_last = by_formula && options.keep_last;
    using time_and_peak = typename plan_preference::time_and_peak;
    plan_preference const prefer{options.budget, options.goal, by_formula};

    std::optional<std::pair<time_and_peak, lower_set_sequence>> best;
    std::vector<vertex_set> path;
    std::size_t steps = 0;
    // The triplet of section 4.1 (last lower set, overhead, cached bytes), and the peak so far.
    auto const visit = [&](auto const& self, std::size_t i, std::int64_t overhead, bytes cached, bytes peak) -> void {
        if (limits.is_over()) detail::raise(limit_reached("lower_set_plan was ended before every sequence was tried"));
        if (++steps > step_limit)
            detail::raise(limit_reached("lower_set_plan: every sequence needs more than " + std::to_string(step_limit) +
                                        " steps"));
        if (i == family.full()) {
            auto sequence = lower_set_sequence::of(path, graph.problem().vertex_count());
            time_and_peak found{overhead, peak};
            if (!by_formula) {
                auto const cost = cost_of_trial(graph.flow(), canonical(graph, sequence));
                found = {cost.time, cost.peak};
            }
            if (!best || prefer(found, best->first)) best = {found, std::move(sequence)};
            return;
        }
        family.for_each_superset(i, [&](std::size_t j) {
            auto const segment = family.cost(i, j, keep_last);
            bytes const needed = std::max(peak, cached + segment.working);
            if (by_formula && options.budget && !options.nearest && needed > *options.budget) return;
            path.push_back(family[j]);
            self(self, j, overhead + segment.overhead, cached + segment.cached, needed);
            path.pop_back();
        });
    };
    visit(visit, 0, std::int64_t{}, 0, 0);
    if (!best || (!prefer.fits(best->first) && !options.nearest)) return std::nullopt;

    auto const& sequence = best->second;
    auto out = plan_of(graph, by_formula ? canonical_literal(graph, sequence, keep_last) : canonical(graph, sequence));
    out.segments = sequence.count;
    if (graph.formulas_apply()) out.formula = evaluate_formula(graph.problem(), sequence, options.keep_last);
    out.lower_sets = family.size();
    return out;
}

/// The exact algorithm: `best_canonical` where it applies and the plans are judged by replay.
[[nodiscard]] inline auto search_exactly(planning_graph const& graph, lower_set_request const& options,
                                         watched_search& limits) -> std::optional<recompute_plan<>> {
    bool const by_formula = options.judge == judged_by::formula && graph.formulas_apply();
    if (by_formula || !best_canonical.applies(graph)) return search_all(graph, options, by_formula, limits);
    auto exact = make_canonical_plan(graph, options, limits);
    if (!exact.proven && !(exact.plan && limits.is_over())) {
        auto other = search_all(graph, options, false, limits);
        if (is_better(other, exact.plan, options))
            exact.plan = exact.measured(*std::move(other), total_time(graph.problem()));
    }
    limits.progress(1);
    return std::move(exact.plan);
}

}  // namespace detail

REPEBBLE_INLINE auto lower_set_plan(problem const& p, optional_budget given, lower_set_plan_options const& options)
    -> std::optional<recompute_plan<>> {
    std::optional<bytes> const budget = given;
    using namespace detail;
    check_threads(options.threads);
    auto const& training = training_of(p);
    check_size(training, options.sets);
    watched_search limits(options.limits, options.progress);
    planning_graph const graph(training);
    lower_set_request const asked{options, budget};
    switch (options.sets) {
        case lower_set_choice::every:
            return search_every_sequence(graph, asked, limits);
        case lower_set_choice::pruned:
            return search_while_allowed(graph, pruned_family(graph, limits), asked, limits);
        case lower_set_choice::all:
            break;
    }
    return search_exactly(graph, asked, limits);
}

}  // namespace repebble::inline v0

#endif
