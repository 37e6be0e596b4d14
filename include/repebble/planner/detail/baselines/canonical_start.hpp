#ifndef REPEBBLE_PLANNER_DETAIL_BASELINES_CANONICAL_START_HPP
#define REPEBBLE_PLANNER_DETAIL_BASELINES_CANONICAL_START_HPP

#include <cstddef>
#include <optional>
#include <vector>

#include <repebble/graph/training/training_graph.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/planner/detail/baselines/sums_fit.hpp>
#include <repebble/recompute/best_canonical.hpp>
#include <repebble/recompute/canonical.hpp>
#include <repebble/recompute/planning_graph.hpp>

namespace repebble::inline v0::detail {

/// Operations of a training graph as its best canonical schedule within the budget runs them, where a share of a
/// second's work finds one that takes less overhead than `below`. The observer may end the search. Nothing for graphs
/// to which `best_canonical` does not apply; nor for large ones, or those of many lower sets, of which so little work
/// sees only what the planner finds anyway.
template <quantity Time, class Observer>
[[nodiscard]] auto canonical_start(training_graph<Time> const& training, bytes budget, std::optional<Time> below,
                                   double share, Observer& observer) -> std::optional<std::vector<operation_index>> {
    constexpr std::size_t most_operations = 600, most_lower_sets = 20'000;
    constexpr double segments = 1'000'000, labels = 500'000;
    constexpr int resolution = 100'000;  // of the time
    if (training.flow.operation_count() > most_operations || !sums_fit(training.flow)) return std::nullopt;
    planning_graph<Time> const graph(training);
    if (!best_canonical.applies(graph)) return std::nullopt;
    canonical_options<Time> const options{.budget = budget,
                                          .tolerance = graph.flow().time_once() / resolution,
                                          .below = below,
                                          .segment_limit = static_cast<std::size_t>(share * segments),
                                          .label_limit = static_cast<std::size_t>(share * labels)};
    auto const found = best_canonical.within(graph, options, most_lower_sets, observer);
    if (!found || !found->sequence) return std::nullopt;
    std::vector<operation_index> operations;
    for (auto const& s : graph.expand(canonical(graph, *found->sequence)).steps)
        if (s.what == action::compute) operations.push_back(s.vertex);
    return operations;
}

}  // namespace repebble::inline v0::detail

#endif
