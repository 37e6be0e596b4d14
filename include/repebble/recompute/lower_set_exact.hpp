#ifndef REPEBBLE_RECOMPUTE_LOWER_SET_EXACT_HPP
#define REPEBBLE_RECOMPUTE_LOWER_SET_EXACT_HPP

#include <optional>
#include <utility>

#include <repebble/graph/training_graph.hpp>
#include <repebble/recompute/forward_plan.hpp>
#include <repebble/recompute/lower_set_family.hpp>
#include <repebble/recompute/lower_set_search.hpp>
#include <repebble/recompute/solve_all_lower_sets.hpp>
#include <repebble/recompute/strategy_options.hpp>

namespace repebble {

namespace detail {

struct lower_set_exact_fn : on_forward_graphs<lower_set_exact_fn> {
    using on_forward_graphs<lower_set_exact_fn>::operator();

    template <quantity Time, class Observer = no_progress>
    [[nodiscard]] auto operator()(training_graph<Time> const& training, strategy_options const& options = {},
                                  Observer&& observer = {}) const -> std::optional<recompute_plan<Time>> {
        planning_graph<Time> const graph(training);
        all_lower_sets<Time> const all(graph.problem(), options.lower_set_limit);
        auto best = search_lower_sets(graph, all, options, observer);
        if (options.judge == judged_by::formula && graph.formulas_apply()) return best;
        // Replayed, a sequence of the pruned family may be better than all that are best by formula (footnote 2).
        searched_family<Time> const family(lower_set_family<Time>::pruned(graph.problem()));
        auto pruned = search_lower_sets(graph, family, options, observer);
        plan_preference<Time> const prefer{options, false};
        if (pruned && (!best || prefer({pruned->cost.time, pruned->cost.peak}, {best->cost.time, best->cost.peak}))) {
            pruned->lower_sets = all.size();
            best = std::move(pruned);
        }
        return best;
    }
};

}  // namespace detail

/// Kusumoto et al. 2019, section 4.2: as `lower_set_approximate`, over all lower sets of the forward graph. Judged by
/// formula it is the exact optimum of (1) under (2) (with epsilon 0); judged by replay, the best real schedule among those
/// on the exact curve and on that of the pruned family. The cost of `solve_all_lower_sets`, and some replays.
/// Throws limit_reached where there are more lower sets than the options allow.
inline constexpr detail::lower_set_exact_fn lower_set_exact{};

}  // namespace repebble

#endif
