#ifndef REPEBBLE_RECOMPUTE_LOWER_SET_EXACT_HPP
#define REPEBBLE_RECOMPUTE_LOWER_SET_EXACT_HPP

// The exact lower-set strategy: all lower sets (Kusumoto et al. 2019, section 4.2), judged by formula or by replay.
// Chooses between best_canonical, the dynamic program by formulas, and a family where there are too many lower sets.

#include <optional>
#include <utility>

#include <repebble/detail/deadline_observer.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/no_progress.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/lower_sets/evaluate_formula.hpp>
#include <repebble/lower_sets/lower_set_family.hpp>
#include <repebble/lower_sets/lower_set_problem.hpp>
#include <repebble/lower_sets/solve_lower_sets.hpp>
#include <repebble/recompute/best_canonical.hpp>
#include <repebble/recompute/detail/canonical/plan_by_options.hpp>
#include <repebble/recompute/detail/canonical/search_by_replay.hpp>
#include <repebble/recompute/detail/on_forward_graphs.hpp>
#include <repebble/recompute/detail/plan_preference.hpp>
#include <repebble/recompute/lower_set_plan.hpp>
#include <repebble/recompute/lower_set_plan_options.hpp>
#include <repebble/recompute/planning_graph.hpp>

namespace repebble::inline v0 {

namespace detail {

struct lower_set_exact_fn : on_forward_graphs<lower_set_exact_fn, lower_set_plan_options> {
    using on_forward_graphs<lower_set_exact_fn, lower_set_plan_options>::operator();

    template <class Observer = no_progress>
    [[nodiscard]] auto operator()(training_graph const& training, lower_set_plan_options const& options = {},
                                  Observer&& observer = {}) const -> std::optional<lower_set_plan<>> {
        if (options.time_limit) check_option("a time limit", *options.time_limit);
        check_threads(options.threads);
        deadline_observer limits(observer, options.time_limit);
        planning_graph const graph(training);
        bool const by_formula = options.judge == judged_by::formula && graph.formulas_apply();
        if (by_formula || !best_canonical.applies(graph)) return search(graph, options, by_formula, limits);
        auto exact = make_canonical_plan(graph, options, limits);
        if (!exact.proven && !(exact.plan && limits.is_over())) {
            auto other = search(graph, options, false, limits);
            if (is_better(other, exact.plan, options))
                exact.plan = exact.measured(*std::move(other), total_time(graph.problem()));
        }
        if constexpr (requires { observer.progress(1.0); }) observer.progress(1.0);
        return std::move(exact.plan);
    }

  private:
    [[nodiscard]] static auto is_better(std::optional<lower_set_plan<>> const& a,
                                        std::optional<lower_set_plan<>> const& b, lower_set_plan_options const& options)
        -> bool {
        plan_preference const prefer{options.budget, options.goal, false};
        return a && (!b || prefer({a->cost.time, a->cost.peak}, {b->cost.time, b->cost.peak}));
    }

    /// Searches by formulas; judged by replay, among the sequences that are best by formulas.
    template <class Observer>
    [[nodiscard]] static auto search(planning_graph const& graph, lower_set_plan_options const& options,
                                     bool by_formula, deadline_observer<Observer>& limits)
        -> std::optional<lower_set_plan<>> {
        best_lower_set_search const sets(graph.problem(), options.lower_set_limit);
        auto best = search_while_allowed(graph, sets, options, limits);
        if (by_formula) {
            if (best && (!sets.has_all() || best->lower_sets < sets.size()))
                best->epsilon = loss_over_all(graph.problem(), *best->formula, options);
            return best;
        }
        if (best && limits.is_over()) return best;
        // By replay, a sequence of the pruned family can be better than those that are best by formula (footnote 2).
        searched_family const family(lower_set_family::pruned(graph.problem()));
        auto pruned = search_while_allowed(graph, family, options, limits);
        if (is_better(pruned, best, options)) {
            pruned->lower_sets = sets.size();
            best = std::move(pruned);
        }
        return best;
    }

    /// Returns a bound on the distance of the overhead from the least (objective memory: greatest) that any lower sets
    /// allow within the budget, as a share of the forward time.
    [[nodiscard]] static auto loss_over_all(lower_set_problem const& problem, formula_result const& cost,
                                            lower_set_plan_options const& options) -> double;
};

}  // namespace detail

/// The best plan over all lower sets of the forward graph.
///
/// Judged by replay (default): the optimum of `best_canonical`, that is, of the schedules that `canonical` makes of
/// sequences of lower sets, the least overhead whose replayed peak fits; without a budget, or with objective memory,
/// the least peak. Its `epsilon` is proven for the replayed schedule: 0 is exact. A canonical schedule makes views
/// again with their owner, and the plan is without those that nobody reads then: where views take time, another plan
/// may be without more of them, so that `epsilon` counts the time of all and may exceed that of the options. Where
/// limits end that search, or it does not apply (joint graphs, views of several owners), the best replayed schedule
/// among those on the curve by formulas and on that of the pruned family.
///
/// Judged by formula: Kusumoto et al. 2019, section 4.2, the exact optimum of (1) under (2) with epsilon 0.
///
/// Where there are more lower sets than the options allow, it searches a family of them (`module_lower_sets`), and
/// `lower_sets` of the plan is its size; `epsilon` is then proven against all lower sets (`overhead_bound`,
/// `canonical_choice::floor`), and may exceed the epsilon of the options. The cost of `best_canonical`, or of
/// `solve_lower_sets` and some replays. A time limit, or an observer's `cancelled()`, ends the search of lower
/// sets with the best plan so far, at least that of a coarse curve of the pruned family; listing lower sets and replays
/// are not interrupted. Throws bad_option where the time limit is negative or not a number, or there is no thread,
/// bad_weight where epsilon is no share.
inline constexpr detail::lower_set_exact_fn lower_set_exact{};

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/recompute/lower_set_exact.ipp>
#endif

#endif
