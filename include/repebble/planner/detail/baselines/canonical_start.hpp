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
#include <repebble/recompute/best_canonical.hpp>
#include <repebble/recompute/canonical.hpp>
#include <repebble/recompute/planning_graph.hpp>

namespace repebble::inline v0::detail {

/// Returns the operations of the best canonical schedule within the budget, with a share of a second's work, if it has
/// less overhead than `below`. The observer may end the search. Nothing for graphs to which `best_canonical` does not
/// apply, that are large or have many lower sets: so little work finds nothing there.
template <class Observer>
[[nodiscard]] auto canonical_start(planning_graph const& graph, bytes budget, std::optional<std::int64_t> below,
                                   double share, Observer& observer) -> std::optional<std::vector<operation_index>> {
    constexpr std::size_t most_operations = 600, most_lower_sets = 20'000;
    constexpr double segments = 1'000'000, labels = 500'000;
    constexpr int resolution = 100'000;  // of the time
    if (graph.training().flow.operation_count() > most_operations || !best_canonical.applies(graph))
        return std::nullopt;
    canonical_options const options{.budget = budget,
                                    .tolerance = graph.flow().time_once() / resolution,
                                    .below = below,
                                    .segment_limit = static_cast<std::size_t>(share * segments),
                                    .label_limit = static_cast<std::size_t>(share * labels)};
    auto const found = best_canonical.within(graph, options, most_lower_sets, observer);
    if (!found || !found->sequence) return std::nullopt;
    return computations_of(graph.expand(canonical(graph, *found->sequence)));
}

}  // namespace repebble::inline v0::detail

#endif
