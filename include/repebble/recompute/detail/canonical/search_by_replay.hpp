#ifndef REPEBBLE_RECOMPUTE_DETAIL_CANONICAL_SEARCH_BY_REPLAY_HPP
#define REPEBBLE_RECOMPUTE_DETAIL_CANONICAL_SEARCH_BY_REPLAY_HPP

// The search over sequences of lower sets that all lower sets and the pruned family share: solve a curve by
// formulas, choose a breakpoint by formula or by replay, refine the resolution until the loss is proven to be within
// epsilon.

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <repebble/graph/detail/deadline_observer.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/vertex_set.hpp>
#include <repebble/lower_sets/evaluate_formula.hpp>
#include <repebble/lower_sets/lower_set_curve.hpp>
#include <repebble/lower_sets/lower_set_family.hpp>
#include <repebble/lower_sets/lower_set_problem.hpp>
#include <repebble/lower_sets/solve_lower_sets.hpp>
#include <repebble/recompute/canonical.hpp>
#include <repebble/recompute/detail/canonical/replayed_choice.hpp>
#include <repebble/recompute/detail/canonical/watched_search.hpp>
#include <repebble/recompute/detail/plan_of.hpp>
#include <repebble/recompute/planning_graph.hpp>
#include <repebble/recompute/recompute_plan.hpp>
#include <repebble/recompute/sqrt_segments.hpp>

namespace repebble::inline v0::detail {

/// T(V).
[[nodiscard]] inline auto total_time(lower_set_problem const& problem) -> std::int64_t {
    return vertex_set::full(problem.vertex_count()).sum(problem.time);
}

/// Returns the epsilon of the options or its default. Throws bad_weight.
[[nodiscard]] inline auto tolerated_loss(lower_set_request const& options, double forward_time) -> double {
    double const epsilon = options.epsilon.value_or(default_epsilon(forward_time));
    if (!(epsilon >= 0 && epsilon <= 1))
        detail::raise(bad_weight("epsilon is a share of the forward time, from 0 to 1: " + std::to_string(epsilon)));
    return epsilon;
}

/// Adapts a fixed family of lower sets to the search.
class searched_family {
  public:
    explicit searched_family(lower_set_family family) : family_(std::move(family)) {}

    static constexpr bool finds_best = false;  ///< `best_only` makes no difference

    [[nodiscard]] auto size() const noexcept -> std::size_t { return family_.size(); }
    [[nodiscard]] auto problem() const noexcept -> lower_set_problem const& { return family_.problem(); }
    template <class Observer>
    [[nodiscard]] auto curve(lower_set_options const& options, Observer&& observer) const {
        return solve_lower_sets(family_, options, observer);
    }

  private:
    lower_set_family family_;
};

/// Solves curves of increasing resolution until the breakpoint that `choose` returns (nothing ends the search) is
/// proven, by the curve's own bounds, to lose at most `epsilon`, a share of the forward time. The resolution starts at
/// a small part of epsilon, as losses add up along a sequence. Finer curves are solved only around the choice, but for
/// all budgets up to `budgets`; none is finer than `sets.finest()`, where that exists. Returns the last curve, the
/// choice and its proven loss.
template <class Sets, class Choose, class Observer>
[[nodiscard]] auto solve_within(Sets const& sets, lower_set_options options, double epsilon, bytes budgets,
                                Choose&& choose, Observer&& observer) {
    struct result {
        lower_set_curve curve{};
        std::optional<std::size_t> choice{};
        double loss = 0;
        bool over = false;  // ended before the first curve
    };
    std::int64_t const whole = total_time(sets.problem());
    auto const forward_time = static_cast<double>(whole);
    // Finer for small families: a cell prefers less budget to less overhead, at the expense of the replayed overhead.
    double const parts =
        std::clamp(6e7 / (static_cast<double>(sets.size()) * static_cast<double>(sets.size())), 50.0, 1000.0);
    double resolution = epsilon * forward_time / parts;
    std::int64_t finest{};
    if constexpr (requires { sets.finest(); }) finest = sets.finest();
    for (std::optional<result> before;;) {
        options.resolution = static_cast<std::int64_t>(resolution);
        if (options.resolution < std::int64_t{1}) options.resolution = std::int64_t{};
        options.resolution = std::max(options.resolution, finest);
        result r;
        if (!is_over(observer)) r.curve = sets.curve(options, observer);
        if (was_over(observer)) return before ? *std::move(before) : result{.over = true};
        r.choice = choose(r.curve);
        if (!r.choice) return r;
        auto const& b = r.curve.breakpoints()[*r.choice];
        if (forward_time > 0)
            r.loss = static_cast<double>(std::max(b.overhead, b.bound) - std::min(b.overhead, b.bound)) / forward_time;
        if (r.loss <= epsilon || options.resolution <= finest) return r;
        resolution *=
            std::clamp(0.8 * epsilon / r.loss, 0.125, 0.7);  // the loss is about proportional to the resolution
        // Only breakpoints near the choice can still be better.
        auto const wider = [](auto x, auto greatest) { return x + std::min(x / 8, greatest - x); };
        options.overhead = wider(b.overhead, whole);
        constexpr auto unlimited = std::numeric_limits<bytes>::max();
        options.budget = std::min(options.budget.value_or(unlimited), std::max(budgets, wider(b.budget, unlimited)));
        before = std::move(r);
    }
}

/// Result of a search: a plan, or nothing where no schedule fits.
struct searched_plan {
    std::optional<recompute_plan<>> plan{};
    bool over = false;  ///< the observer ended the search before the first curve
};

[[nodiscard]] inline auto is_judged_by_formula(planning_graph const& graph, lower_set_request const& options) -> bool {
    return options.judge == judged_by::formula && graph.formulas_apply();
}

/// The plan of a sequence of lower sets, with its formula. `made`: that of its canonical schedule, if it is known.
[[nodiscard]] inline auto plan_of_sequence(planning_graph const& graph, lower_set_sequence const& sequence,
                                           lower_set_request const& options, std::optional<recompute_plan<>> made = {})
    -> recompute_plan<> {
    auto plan = is_judged_by_formula(graph, options)
                    ? plan_of(graph, canonical_literal(graph, sequence, options.keep_last))
                : made ? checked_plan(graph.training().flow, *std::move(made))
                       : plan_of(graph, canonical(graph, sequence));
    plan.segments = sequence.count;
    if (graph.formulas_apply()) plan.formula = evaluate_formula(graph.problem(), sequence, options.keep_last);
    return plan;
}

/// Plans by lower sets under `options`; `sets`: all lower sets of the problem, or a family.
template <class Sets, class Observer>
[[nodiscard]] auto search_lower_sets(planning_graph const& graph, Sets const& sets, lower_set_request const& options,
                                     Observer&& observer) -> searched_plan {
    bool const by_formula = is_judged_by_formula(graph, options);
    std::int64_t const forward_time = total_time(sets.problem());
    double const epsilon = tolerated_loss(options, static_cast<double>(forward_time));
    lower_set_options search_options{.goal = options.goal, .threads = options.threads};
    if (by_formula) {
        search_options.keep_last = options.keep_last;
        if (!options.nearest) search_options.budget = options.budget;
        search_options.best_only = Sets::finds_best && search_options.budget.has_value();
    }
    lower_set_sequence sequence;
    double loss = 0;
    if (by_formula) {
        auto const found = solve_within(
            sets, search_options, epsilon, options.budget.value_or(0),
            [&](auto const& curve) -> std::optional<std::size_t> {
                auto const least = curve.least_budget();
                if (!least) return std::nullopt;
                auto const within = curve.best_within(options.budget.value_or(*least));
                return within || !options.nearest ? within : curve.breakpoints().size() - 1;
            },
            observer);
        if (found.over) return {.over = true};
        if (!found.choice) return {};
        sequence = found.curve.sequence(*found.choice);
        loss = found.loss;
    } else {
        // Formula (2) is a weak bound on the replayed peak (usually well above it): the best replayed schedule may come
        // from any formula budget, and under tight memory from the memory-centric curve, whose long segments suit
        // liveness.
        auto const stop = [&] { return is_over(observer); };
        replayed_choice choice(graph, options, stop);
        auto const found = solve_within(
            sets, search_options, epsilon, 0, [&](auto const& c) { return choice.offer(c); }, observer);
        if (found.over) return {.over = true};
        loss = found.loss;
        if (options.goal == objective::time) {
            search_options.goal = objective::memory;
            search_options.resolution =
                static_cast<std::int64_t>(static_cast<double>(forward_time) / 1000);  // coarse: only more candidates
            auto const more = sets.curve(search_options, observer);
            if (!was_over(observer)) choice.offer(more);
        }
        choice.keep_more();
        if (!choice.fits() && !options.nearest) return {};
        sequence = choice.best().sequence;
    }
    auto plan = plan_of_sequence(graph, sequence, options);
    plan.lower_sets = sets.size();
    plan.epsilon = loss;
    return {.plan = std::move(plan)};
}

/// The pruned family, or what of it there is time for.
[[nodiscard]] inline auto pruned_family(planning_graph const& graph, watched_search& limits) -> searched_family {
    auto const stop = [&] { return limits.is_over(); };
    return searched_family(lower_set_family::pruned(graph.problem(), stop));
}

/// The plan of √n segments, where there is no time for a search; nothing where it does not fit, or takes too long.
[[nodiscard]] inline auto plan_without_search(planning_graph const& graph, lower_set_request const& options,
                                              watched_search& limits) -> std::optional<recompute_plan<>> {
    auto found = best_sqrt_segments(graph, [&] { return limits.is_over(); });
    if (!found) return std::nullopt;
    auto plan = plan_of_sequence(graph, found->first, options, std::move(found->second));
    auto const peak = is_judged_by_formula(graph, options) ? plan.formula->peak : plan.cost.peak;
    if (options.budget && peak > *options.budget && !options.nearest) return std::nullopt;
    auto const overhead = is_judged_by_formula(graph, options) ? plan.formula->overhead : plan.cost.overhead;
    auto const whole = total_time(graph.problem());
    if (whole > 0)  // no bound is known but that overheads lie between 0 and the forward time
        plan.epsilon =
            options.goal == objective::memory ? 1 : static_cast<double>(overhead) / static_cast<double>(whole);
    return plan;
}

/// As `search_lower_sets`; where it is ended before the first curve, √n segments.
template <class Sets>
[[nodiscard]] auto search_while_allowed(planning_graph const& graph, Sets const& sets, lower_set_request const& options,
                                        watched_search& limits) -> std::optional<recompute_plan<>> {
    auto found = search_lower_sets(graph, sets, options, limits);
    return found.over ? plan_without_search(graph, options, limits) : std::move(found.plan);
}

}  // namespace repebble::inline v0::detail

#endif
