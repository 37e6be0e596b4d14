#ifndef REPEBBLE_RECOMPUTE_LOWER_SET_EXHAUSTIVE_HPP
#define REPEBBLE_RECOMPUTE_LOWER_SET_EXHAUSTIVE_HPP

// Exhaustive search over sequences of lower sets (Kusumoto et al. 2019, section 4.1): the reference that tests compare
// the other lower-set strategies with on small graphs. Shares no search code with them.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <repebble/graph/error.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/lower_sets/formula.hpp>
#include <repebble/lower_sets/lower_set_family.hpp>
#include <repebble/recompute/canonical.hpp>
#include <repebble/recompute/detail/plan_of.hpp>
#include <repebble/recompute/detail/plan_preference.hpp>
#include <repebble/recompute/lower_set_plan.hpp>
#include <repebble/recompute/lower_set_plan_options.hpp>
#include <repebble/recompute/planning_graph.hpp>

namespace repebble::inline v0 {

namespace detail {

struct lower_set_exhaustive_fn {
    static constexpr std::size_t default_step_limit = 10'000'000;

    template <quantity Time>
    [[nodiscard]] auto operator()(training_graph<Time> const& training, lower_set_plan_options const& options = {},
                                  std::size_t step_limit = default_step_limit) const
        -> std::optional<lower_set_plan<Time>> {
        planning_graph<Time> const graph(training);
        auto const family = lower_set_family<Time>::all(graph.problem(), options.lower_set_limit);
        bool const by_formula = options.judge == judged_by::formula && graph.formulas_apply();
        bool const keep_last = by_formula && options.keep_last;
        using time_and_peak = typename plan_preference<Time>::time_and_peak;
        plan_preference<Time> const prefer{options.budget, options.goal, by_formula};

        std::optional<std::pair<time_and_peak, lower_set_sequence>> best;
        std::vector<vertex_set> path;
        std::size_t steps = 0;
        // The triplet of section 4.1 (last lower set, overhead, cached bytes), and the peak so far.
        auto const visit = [&](auto const& self, std::size_t i, Time overhead, bytes cached, bytes peak) -> void {
            if (++steps > step_limit)
                detail::raise(
                    limit_reached("lower_set_exhaustive needs more than " + std::to_string(step_limit) + " steps"));
            if (i == family.full()) {
                auto sequence = sequence_of(path, graph.problem().vertex_count());
                time_and_peak found{overhead, peak};
                if (!by_formula) {
                    auto const cost = replay(graph.flow(), canonical(graph, sequence));
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
        visit(visit, 0, Time{}, 0, 0);
        if (!best || (!prefer.fits(best->first) && !options.nearest)) return std::nullopt;

        auto const& sequence = best->second;
        lower_set_plan<Time> plan{
            {plan_of(graph, by_formula ? canonical_literal(graph, sequence, keep_last) : canonical(graph, sequence)),
             sequence.count}};
        if (graph.formulas_apply()) plan.formula = evaluate_formula(graph.problem(), sequence, options.keep_last);
        plan.lower_sets = family.size();
        return plan;
    }
};

}  // namespace detail

/// The best plan over every increasing sequence of lower sets, by depth-first search. Exact in the objective of the
/// options: formulas (1) and (2), or the replayed schedules, in which views are made again with their owner (a plan is
/// without those that nobody reads then). O(#L^n): for small graphs. Returns nothing where no plan fits. Throws
/// limit_reached beyond the limits.
inline constexpr detail::lower_set_exhaustive_fn lower_set_exhaustive{};

}  // namespace repebble::inline v0

#endif
