#ifndef REPEBBLE_RECOMPUTE_LOWER_SET_SEARCH_HPP
#define REPEBBLE_RECOMPUTE_LOWER_SET_SEARCH_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <repebble/graph/error.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/recompute/canonical.hpp>
#include <repebble/recompute/formula.hpp>
#include <repebble/recompute/lower_set_curve.hpp>
#include <repebble/recompute/lower_set_family.hpp>
#include <repebble/recompute/plan_preference.hpp>
#include <repebble/recompute/planning_graph.hpp>
#include <repebble/recompute/recompute_plan.hpp>
#include <repebble/recompute/strategy_options.hpp>

namespace repebble::detail {

/// The greatest loss that merging may have caused anywhere on the curve, as a share of the forward time.
template <quantity Time>
[[nodiscard]] auto certified_epsilon(lower_set_curve<Time> const& curve, Time forward_time) -> double {
    double worst = 0;
    for (auto const& b : curve.breakpoints())
        worst = std::max(worst, std::abs(static_cast<double>(b.overhead) - static_cast<double>(b.bound)));
    return forward_time > Time{} ? worst / static_cast<double>(forward_time) : 0.0;
}

/// The curve of a family within a loss of `epsilon` (a share of the forward time), and the loss that it may really have.
/// The resolution starts at a small part of it, for losses add up along a sequence, and is refined until the curve's own
/// bounds prove it.
template <quantity Time, class Observer>
[[nodiscard]] auto solve_within(lower_set_family<Time> const& family, lower_set_options<Time> options, double epsilon,
                                Observer&& observer)
    -> std::pair<lower_set_curve<Time>, double> {
    Time const forward_time = family.time(family.full());
    options.resolution = static_cast<Time>(epsilon * static_cast<double>(forward_time) / 250);
    for (;; options.resolution = options.resolution / 4) {
        if (options.resolution < Time{1}) options.resolution = Time{};
        auto curve = solve_lower_sets(family, options, observer);
        double const loss = certified_epsilon(curve, forward_time);
        if (loss <= epsilon || options.resolution == Time{}) return {std::move(curve), loss};
    }
}

/// Which breakpoints of a curve to replay: all where they are few; else evenly spread ones, then more and more densely
/// around the best so far. `better(a, b)` compares what `evaluate` returned. Deterministic.
template <class Evaluate, class Better>
[[nodiscard]] auto best_breakpoint(std::size_t count, Evaluate&& evaluate, Better&& better) -> std::size_t {
    constexpr std::size_t spread = 96;
    std::map<std::size_t, decltype(evaluate(std::size_t{}))> seen;
    std::size_t best = 0;
    auto const look = [&](std::size_t first, std::size_t last) {
        std::size_t const stride = std::max<std::size_t>(1, (last - first) / spread);
        for (std::size_t k = first; k <= last; k += stride)
            if (!seen.contains(k)) {
                seen.emplace(k, evaluate(k));
                if (k != best && better(seen.at(k), seen.at(best))) best = k;
            }
        return stride;
    };
    seen.emplace(std::size_t{0}, evaluate(0));
    for (std::size_t stride = look(0, count - 1); stride > 1;) {
        std::size_t const first = best > stride ? best - stride : 0;
        stride = look(first, std::min(count - 1, best + stride));
    }
    return best;
}

/// Plans by a family of lower sets, as `options` ask. Nothing where no schedule fits.
template <quantity Time, class Observer>
[[nodiscard]] auto search_lower_sets(planning_graph<Time> const& graph, lower_set_family<Time> const& family,
                                     strategy_options const& options, Observer&& observer)
    -> std::optional<recompute_plan<Time>> {
    bool const by_formula = options.judge == judged_by::formula && graph.formulas_apply();
    Time const forward_time = family.time(family.full());
    double const epsilon = options.epsilon.value_or(default_epsilon(static_cast<double>(forward_time)));
    if (!(epsilon >= 0 && epsilon <= 1))
        throw bad_weight("epsilon is a share of the forward time, from 0 to 1: " + std::to_string(epsilon));
    auto const [curve, loss] = solve_within(
        family,
        lower_set_options<Time>{.goal = options.goal,
                                .keep_last = by_formula ? options.keep_last : true,
                                .budget = by_formula ? options.budget : std::nullopt},
        epsilon, observer);
    if (curve.breakpoints().empty()) return std::nullopt;

    std::size_t chosen = 0;
    if (by_formula) {
        auto const within = curve.best_within(options.budget.value_or(*curve.least_budget()));
        if (!within) return std::nullopt;
        chosen = *within;
    } else {
        // Formula (2) only bounds the replayed peak from above, and loosely: the best real schedule may come from any
        // formula budget.
        plan_preference<Time> const prefer{options, by_formula};
        auto const replayed = [&](std::size_t k) {
            auto const cost = replay(graph.flow(), canonical(graph, curve.sequence(family, k)));
            return typename plan_preference<Time>::candidate{cost.time, cost.peak};
        };
        chosen = best_breakpoint(curve.breakpoints().size(), replayed, prefer);
    }
    auto const sequence = curve.sequence(family, chosen);
    auto plan = plan_of(graph, by_formula ? canonical_literal(graph, sequence, options.keep_last)
                                          : canonical(graph, sequence));
    if (!by_formula && options.budget && plan.cost.peak > *options.budget) return std::nullopt;
    if (graph.formulas_apply()) plan.formula = evaluate_formula(graph.problem(), sequence, options.keep_last);
    plan.segments = sequence.count;
    plan.lower_sets = family.size();
    plan.epsilon = loss;
    return plan;
}

}  // namespace repebble::detail

#endif
