#ifndef REPEBBLE_PLANNER_DETAIL_BASELINES_CANONICAL_START_HPP
#define REPEBBLE_PLANNER_DETAIL_BASELINES_CANONICAL_START_HPP

// The best canonical schedule (`best_canonical`) as a start of the planner, for training graphs of up to 600
// operations: the networks of plan_curves hardly need it, but branching graphs of a hundred operations gain up to 7 %.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <repebble/graph/quantity.hpp>
#include <repebble/planner/detail/starts/exact_start.hpp>
#include <repebble/planner/effort.hpp>
#include <repebble/recompute/best_canonical.hpp>
#include <repebble/recompute/canonical.hpp>
#include <repebble/recompute/planning_graph.hpp>

namespace repebble::inline v0::detail {

/// Returns the operations of the best canonical schedule within the budget, with a share of a second's work, if it has
/// less overhead than `below`. The observer may end the search. Nothing for graphs to which `best_canonical` does not
/// apply, that are large or have many lower sets: so little work finds nothing there.
template <class Observer>
[[nodiscard]] auto canonical_start(planning_graph const& graph, bytes budget, std::optional<std::int64_t> below,
                                   double share, effort const& e, Observer& observer)
    -> std::optional<std::vector<operation_index>> {
    if (graph.training().flow.operation_count() > e.most_canonical_flow || !best_canonical.applies(graph))
        return std::nullopt;
    canonical_options const options{.budget = budget,
                                    .tolerance = graph.flow().time_once() / e.canonical_resolution,
                                    .below = below,
                                    .segment_limit = static_cast<std::size_t>(share * e.canonical_segments),
                                    .label_limit = static_cast<std::size_t>(share * e.canonical_labels)};
    auto const found = best_canonical.within(graph, options, e.most_canonical_lower_sets, observer);
    if (!found || !found->sequence) return std::nullopt;
    return computations_of(graph.expand(canonical(graph, *found->sequence)));
}

}  // namespace repebble::inline v0::detail

#endif
