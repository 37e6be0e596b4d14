#ifndef REPEBBLE_GRAPH_DATAFLOW_USABLE_OVERWRITES_HPP
#define REPEBBLE_GRAPH_DATAFLOW_USABLE_OVERWRITES_HPP

// The overwrites that a plan can count on: of the overwrites that a dataflow allows, those of a storage that has no
// view, by an output of the storage's size. `liveness` writes them, and the planner's loads count them. Invariant: at
// most one output of a run is written in place, the first in the list whose value ends with that run.

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <vector>

#include <repebble/detail/jagged_array.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/vertex_set.hpp>

namespace repebble::inline v0 {

/// Returns, by value, the first value of its storage: itself or, where mutations wrote it over another one, the first
/// of those. The storage has the bytes of that.  O(values + mutations).
template <quantity Time>
[[nodiscard]] constexpr auto firsts_in_storage(dataflow<Time> const& flow) -> std::vector<value_index> {
    std::vector<value_index> first;
    for (value_index value = 0; value < flow.value_count(); ++value) first.push_back(value);
    for (auto const v : flow.order())
        for (auto const& m : flow.mutations(v)) first[flow.writes(v)[m.output]] = first[flow.owners(m.over).front()];
    return first;
}

/// Returns, by operation, the usable overwrites, those of the largest outputs first.  O(values + overwrites).
template <quantity Time>
[[nodiscard]] constexpr auto usable_overwrites(dataflow<Time> const& flow) -> detail::jagged_array<overwrite> {
    vertex_set has_view(flow.value_count());
    for (value_index value = 0; value < flow.value_count(); ++value)
        if (flow.is_view(value))
            for (auto const owner : flow.owners(value)) has_view.insert(owner);
    auto const first = firsts_in_storage(flow);
    vertex_set mutated(flow.value_count());  // by the operation, before and after
    detail::jagged_array<overwrite> usable;
    std::vector<overwrite> row;
    for (operation_index v = 0; v < flow.operation_count(); ++v) {
        row.clear();
        for (auto const& m : flow.mutations(v))
            for (auto const value : {flow.writes(v)[m.output], m.over}) mutated.insert(value);
        for (auto const& o : flow.allowed_overwrites(v)) {
            auto const output = flow.writes(v)[o.output];
            bool fits =
                !flow.is_view(output) && !flow.is_view(o.over) && !has_view.contains(o.over) && output != o.over;
            fits = fits && flow.size(output) > 0 && flow.size(output) == flow.size(first[o.over]);
            fits = fits && !mutated.contains(output) && !mutated.contains(o.over);
            if (fits) row.push_back(o);
        }
        for (auto const& m : flow.mutations(v))
            for (auto const value : {flow.writes(v)[m.output], m.over}) mutated.erase(value);
        std::ranges::sort(row, {}, [&](overwrite const& o) {
            return std::tuple(-flow.size(flow.writes(v)[o.output]), o.output, o.over);
        });
        usable.append(row);
    }
    return usable;
}

}  // namespace repebble::inline v0

#endif
