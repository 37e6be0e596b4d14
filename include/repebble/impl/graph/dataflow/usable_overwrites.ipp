#ifndef REPEBBLE_IMPL_GRAPH_DATAFLOW_USABLE_OVERWRITES_IPP
#define REPEBBLE_IMPL_GRAPH_DATAFLOW_USABLE_OVERWRITES_IPP

#include <repebble/graph/dataflow/usable_overwrites.hpp>

#include <algorithm>
#include <tuple>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/vertex_set.hpp>

namespace repebble::inline v0 {

namespace detail {

REPEBBLE_INLINE auto firsts_in_storage(dataflow const& flow) -> std::vector<value_index> {
    std::vector<value_index> first;
    for (value_index value = 0; value < flow.value_count(); ++value) first.push_back(value);
    for (auto const v : flow.order())
        for (auto const& m : flow.mutations(v)) first[flow.writes(v)[m.output]] = first[flow.owners(m.over).front()];
    return first;
}

}  // namespace detail

REPEBBLE_INLINE auto find_usable_overwrites(dataflow const& flow) -> detail::jagged_array<overwrite> {
    auto const first = detail::firsts_in_storage(flow);
    vertex_set mutated(flow.value_count());  // by the operation, before and after
    detail::jagged_array<overwrite> usable;
    usable.reserve(flow.operation_count(), 0);
    std::vector<overwrite> row;
    for (operation_index v = 0; v < flow.operation_count(); ++v) {
        row.clear();
        for (auto const& m : flow.mutations(v))
            for (auto const value : {flow.writes(v)[m.output], flow.owners(m.over).front()}) mutated.insert(value);
        for (auto const& o : flow.allowed_overwrites(v)) {
            auto const output = flow.writes(v)[o.output];
            if (flow.is_view(output) || output == o.over || flow.owners(o.over).size() != 1) continue;
            auto const owner = flow.owners(o.over).front();
            bool fits = flow.size(output) > 0 && flow.size(output) == flow.size(first[owner]);
            fits = fits && !mutated.contains(output) && !mutated.contains(owner);
            // No other value in the storage is needed by v, or made by it.
            auto const lies_there = [&](value_index x) {
                return x != o.over && std::ranges::find(flow.owners(x), owner) != flow.owners(x).end();
            };
            fits = fits && std::ranges::none_of(flow.reads(v), lies_there);
            fits = fits && std::ranges::none_of(flow.writes(v), lies_there);
            if (fits) row.push_back(o);
        }
        for (auto const& m : flow.mutations(v))
            for (auto const value : {flow.writes(v)[m.output], flow.owners(m.over).front()}) mutated.erase(value);
        std::ranges::sort(row, {}, [&](overwrite const& o) {
            return std::tuple(-flow.size(flow.writes(v)[o.output]), o.output, o.over);
        });
        usable.append(row);
    }
    return usable;
}

}  // namespace repebble::inline v0

#endif
