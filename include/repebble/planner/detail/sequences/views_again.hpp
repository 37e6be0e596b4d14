#ifndef REPEBBLE_PLANNER_DETAIL_SEQUENCES_VIEWS_AGAIN_HPP
#define REPEBBLE_PLANNER_DETAIL_SEQUENCES_VIEWS_AGAIN_HPP

// Views that no operation takes in (`contract_views`), made again with the storages that they lie in. The model counts
// such a view as a value of no bytes that stays; in truth the one that is resident keeps its storage alive. Used where
// the schedule of a sequence needs more than its model says.

#include <span>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/vertex_set.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>

namespace repebble::inline v0::detail {

/// Returns the sequence of the model `m` of `flow` with a run of each view after each further run of an owner of its
/// storages in it, if the view has run and may run again: the view of the old storage then ends, and the storage with
/// it.
/// O(steps · views of each operation).
[[nodiscard]] inline auto with_views_again(dataflow<> const& flow, planning_model const& m,
                                           std::span<operation_index const> sequence) -> std::vector<operation_index> {
    std::vector<std::vector<operation_index>> views(m.operation_count());  // by owner, viewed ones first
    for (auto const v : flow.order()) {
        if (!m.operations[v].recomputable) continue;
        for (auto const value : flow.writes(v)) {
            if (!flow.is_view(value)) continue;
            for (auto const owner : flow.owners(value))
                for (auto const u : flow.producers(owner))
                    if (u != v && (views[u].empty() || views[u].back() != v)) views[u].push_back(v);
        }
    }
    vertex_set ran(m.operation_count());
    std::vector<operation_index> all;
    for (auto const u : sequence) {
        bool const again = ran.contains(u);
        all.push_back(u);
        ran.insert(u);
        if (!again) continue;
        for (auto const v : views[u])
            if (ran.contains(v)) all.push_back(v);
    }
    return all;
}

}  // namespace repebble::inline v0::detail

#endif
