#ifndef REPEBBLE_IMPL_RECOMPUTE_LOWER_SET_EXHAUSTIVE_IPP
#define REPEBBLE_IMPL_RECOMPUTE_LOWER_SET_EXHAUSTIVE_IPP

#include <repebble/recompute/lower_set_exhaustive.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/lower_sets/evaluate_formula.hpp>
#include <repebble/lower_sets/lower_set_family.hpp>
#include <repebble/recompute/canonical.hpp>
#include <repebble/recompute/detail/plan_of.hpp>
#include <repebble/recompute/detail/plan_preference.hpp>
#include <repebble/recompute/planning_graph.hpp>

namespace repebble::inline v0 {

REPEBBLE_INLINE auto lower_set_exhaustive(training_graph const& training,
                                               lower_set_plan_options const& options,
                                               std::size_t step_limit)
    -> std::optional<lower_set_plan<>> {
    planning_graph const graph(training);
    auto const family = lower_set_family::all(graph.problem(), options.lower_set_limit);
    bool const by_formula = options.judge == judged_by::formula && graph.formulas_apply();
    bool const keep_last = by_formula && options.keep_last;
    using time_and_peak = typename detail::plan_preference::time_and_peak;
    detail::plan_preference const prefer{options.budget, options.goal, by_formula};

    std::optional<std::pair<time_and_peak, lower_set_sequence>> best;
    std::vector<vertex_set> path;
    std::size_t steps = 0;
    // The triplet of section 4.1 (last lower set, overhead, cached bytes), and the peak so far.
    auto const visit = [&](auto const& self, std::size_t i, std::int64_t overhead, bytes cached, bytes peak) -> void {
        if (++steps > step_limit)
            detail::raise(
                limit_reached("lower_set_exhaustive needs more than " + std::to_string(step_limit) + " steps"));
        if (i == family.full()) {
            auto sequence = lower_set_sequence::of(path, graph.problem().vertex_count());
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
    visit(visit, 0, std::int64_t{}, 0, 0);
    if (!best || (!prefer.fits(best->first) && !options.nearest)) return std::nullopt;

    auto const& sequence = best->second;
    lower_set_plan<> out{{detail::plan_of(graph, by_formula ? canonical_literal(graph, sequence, keep_last)
                                                             : canonical(graph, sequence)),
                           sequence.count}};
    if (graph.formulas_apply()) out.formula = evaluate_formula(graph.problem(), sequence, options.keep_last);
    out.lower_sets = family.size();
    return out;
}

}  // namespace repebble::inline v0

#endif
