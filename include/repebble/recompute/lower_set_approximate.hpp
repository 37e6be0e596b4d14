#ifndef REPEBBLE_RECOMPUTE_LOWER_SET_APPROXIMATE_HPP
#define REPEBBLE_RECOMPUTE_LOWER_SET_APPROXIMATE_HPP

// The approximate dynamic program over the pruned family of lower sets (Kusumoto et al. 2019, section 4.3): the fast
// lower-set strategy. `detail/canonical/search_by_replay.hpp` has the search that it shares with lower_set_exact.

#include <optional>
#include <utility>

#include <repebble/detail/deadline_observer.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/no_progress.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/lower_sets/lower_set_family.hpp>
#include <repebble/recompute/detail/canonical/search_by_replay.hpp>
#include <repebble/recompute/detail/on_forward_graphs.hpp>
#include <repebble/recompute/lower_set_plan.hpp>
#include <repebble/recompute/lower_set_plan_options.hpp>
#include <repebble/recompute/planning_graph.hpp>

namespace repebble::inline v0 {

namespace detail {

struct lower_set_approximate_fn : on_forward_graphs<lower_set_approximate_fn, lower_set_plan_options> {
    using on_forward_graphs<lower_set_approximate_fn, lower_set_plan_options>::operator();

    template <class Observer = no_progress>
    [[nodiscard]] auto operator()(training_graph const& training, lower_set_plan_options const& options = {},
                                  Observer&& observer = {}) const -> std::optional<lower_set_plan<>> {
        if (options.time_limit) check_option("a time limit", *options.time_limit);
        check_threads(options.threads);
        deadline_observer limits(observer, options.time_limit);
        planning_graph const graph(training);
        searched_family const family(lower_set_family::pruned(graph.problem()));
        return search_while_allowed(graph, family, options, limits);
    }
};

}  // namespace detail

/// The best plan of the canonical strategy within the budget over the pruned family {∅, L^v …, V}; not over all lower
/// sets. Takes a training graph and options, or any forward graph with a budget, time(v) and memory(v); the plan is
/// then in terms of its vertices. Returns nothing where no such schedule fits. O(n² (|∂| + frontier)) and some replays.
/// A time limit, or an observer's `cancelled()`, ends the search with the best plan so far, at least that of a coarse
/// curve. Throws bad_option where the time limit is negative or not a number, or there is no thread.
inline constexpr detail::lower_set_approximate_fn lower_set_approximate{};

}  // namespace repebble::inline v0

#endif
