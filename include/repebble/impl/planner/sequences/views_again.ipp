#ifndef REPEBBLE_IMPL_PLANNER_SEQUENCES_VIEWS_AGAIN_IPP
#define REPEBBLE_IMPL_PLANNER_SEQUENCES_VIEWS_AGAIN_IPP

#include <repebble/planner/detail/sequences/views_again.hpp>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/vertex_set.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto with_views_again(dataflow const& flow, planning_model const& m,
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
