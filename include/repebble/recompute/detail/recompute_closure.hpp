#ifndef REPEBBLE_RECOMPUTE_DETAIL_RECOMPUTE_CLOSURE_HPP
#define REPEBBLE_RECOMPUTE_DETAIL_RECOMPUTE_CLOSURE_HPP

// Recomputation on demand: runs an operation after recomputing its missing inputs, recursively. Shared by
// greedy_eviction and save_set.

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/recompute/planning_graph.hpp>

namespace repebble::inline v0::detail {

/// No operation recomputes the value.
inline constexpr auto no_operation = std::numeric_limits<operation_index>::max();

/// Returns for every value the forward operation that recomputes it: the first producer that may run twice, or
/// no_operation.
template <quantity Time>
[[nodiscard]] auto recomputing_operations(planning_graph<Time> const& graph) -> std::vector<operation_index> {
    auto const& flow = graph.flow();
    std::vector<operation_index> recomputed_by(flow.value_count(), no_operation);
    for (std::size_t x = 0; x < recomputed_by.size(); ++x) {
        auto const again = [&](operation_index u) { return graph.number(u) != graph.none && flow.recomputable(u); };
        auto const found = std::ranges::find_if(flow.producers(x), again);
        if (found != flow.producers(x).end()) recomputed_by[x] = *found;
    }
    return recomputed_by;
}

/// Runs v after the recomputations of its missing inputs, depth first with an explicit stack. Calls on_push(u) when u
/// is pushed, and run(u) when all inputs of u are resident. Returns false as soon as run(u) does, or where no operation
/// recomputes a missing value.
template <quantity Time, class IsResident, class OnPush, class Run>
[[nodiscard]] auto run_with_inputs(dataflow<Time> const& flow, std::vector<operation_index> const& recomputed_by,
                                   operation_index v, IsResident&& is_resident, OnPush&& on_push, Run&& run) -> bool {
    std::vector<operation_index> stack{v};
    on_push(v);
    while (!stack.empty()) {
        auto const u = stack.back();
        auto const missing = std::ranges::find_if_not(flow.reads(u), is_resident);
        if (missing == flow.reads(u).end()) {
            if (!run(u)) return false;
            stack.pop_back();
            continue;
        }
        if (recomputed_by[*missing] == no_operation) return false;
        stack.push_back(recomputed_by[*missing]);
        on_push(stack.back());
    }
    return true;
}

}  // namespace repebble::inline v0::detail

#endif
