#ifndef REPEBBLE_RECOMPUTE_DETAIL_SEGMENTED_OPERATIONS_HPP
#define REPEBBLE_RECOMPUTE_DETAIL_SEGMENTED_OPERATIONS_HPP

// The operations of a training graph by segments of a sequence of lower sets. The canonical strategy, the segment
// search and chain stages start from it. Invariant: each segment is in topological order, and no operation reads from a
// later forward segment.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <repebble/graph/error.hpp>
#include <repebble/graph/vertex_set.hpp>
#include <repebble/lower_sets/lower_set_problem.hpp>
#include <repebble/recompute/planning_graph.hpp>

namespace repebble::inline v0::detail {

/// Assigns the operations of a training graph to the segments of a sequence of lower sets, each in topological order.
///
/// A gradient belongs to the segment of its vertex; the gradient of a parameter to the least segment among its users so
/// far, as its sums follow the order of the graph. In a joint graph an operation of the backward pass belongs to the
/// least segment among its backward inputs and the forward values that it reads and that are not kept: kept values are
/// resident anyway, and to wait for their segment would only keep gradients longer.
struct segmented_operations {
    std::vector<std::vector<operation_index>> forward, backward;  ///< per segment
    std::vector<std::uint32_t> segment;                           ///< per operation
    vertex_set kept;                                              ///< forward operations in U_k: not recomputed

    segmented_operations(planning_graph const& graph, lower_set_sequence const& sequence)
        : forward(sequence.count),
          backward(sequence.count),
          segment(graph.flow().operation_count(), 0),
          kept(graph.flow().operation_count()) {
        auto const& flow = graph.flow();
        auto const& problem = graph.problem();
        if (sequence.segment.size() != problem.vertex_count())
            detail::raise(bad_graph("the sequence of lower sets has " + std::to_string(sequence.segment.size()) +
                                    " vertices, but the forward graph has " + std::to_string(problem.vertex_count())));
        for (std::uint32_t f = 0; f < problem.vertex_count(); ++f) {
            auto const v = graph.forward(f);
            segment[v] = sequence.segment[f];
            if (segment[v] >= sequence.count)
                detail::raise(bad_graph("vertex " + std::to_string(f) + " is in segment " + std::to_string(segment[v]) +
                                        " of " + std::to_string(sequence.count)));
            if (problem.pinned.contains(f)) kept.insert(v);
            for (auto const w : problem.graph.successors(f)) {
                if (sequence.segment[w] < sequence.segment[f])
                    detail::raise(bad_graph("segment " + std::to_string(sequence.segment[w]) +
                                            " ends with no lower set: vertex " + std::to_string(w) + " reads vertex " +
                                            std::to_string(f) + " of a later one"));
                if (sequence.segment[w] > sequence.segment[f]) kept.insert(v);
            }
        }
        for (auto const v : flow.order()) {
            if (graph.number(v) != graph.none) {
                forward[segment[v]].push_back(v);
                continue;
            }
            if (sequence.count == 0)
                detail::raise(bad_graph("the backward pass has no segment: the forward graph is empty"));
            segment[v] = segment_of_gradient(graph, sequence, v);
            backward[segment[v]].push_back(v);
        }
    }

  private:
    [[nodiscard]] auto segment_of_gradient(planning_graph const& graph, lower_set_sequence const& sequence,
                                           operation_index v) const -> std::uint32_t {
        if (graph.gradient_of(v) != graph.none) {
            auto least = sequence.segment[graph.gradient_of(v)];
            for (auto const u : graph.flow().graph().predecessors(v))
                if (graph.number(u) == graph.none) least = std::min(least, segment[u]);
            return least;
        }
        auto least = static_cast<std::uint32_t>(sequence.count - 1);
        for (auto const u : graph.flow().graph().predecessors(v))
            if (graph.number(u) == graph.none || !kept.contains(u)) least = std::min(least, segment[u]);
        return least;
    }
};

}  // namespace repebble::inline v0::detail

#endif
