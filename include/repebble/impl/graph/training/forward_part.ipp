#ifndef REPEBBLE_IMPL_GRAPH_TRAINING_FORWARD_PART_IPP
#define REPEBBLE_IMPL_GRAPH_TRAINING_FORWARD_PART_IPP

#include <repebble/graph/training/forward_part.hpp>

#include <limits>
#include <utility>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>

namespace repebble::inline v0 {

namespace detail {

REPEBBLE_INLINE auto forward_part(training_graph const& training) -> forward_dataflow {
    constexpr auto none = std::numeric_limits<value_index>::max();
    auto const& from = training.flow;
    forward_dataflow part;
    dataflow_builder builder;
    std::vector<operation_index> number(from.operation_count(), none);
    for (operation_index v = 0; v < from.operation_count(); ++v) {
        if (training.origin[v].pass != pass::forward) continue;
        number[v] = builder.add_copy(from, v);
        part.operations.push_back(v);
    }
    std::vector<value_index> new_value(from.value_count(), none);
    for (auto const v : from.order()) {  // owners before views
        if (number[v] == none) continue;
        for (auto const value : from.writes(v)) {
            if (new_value[value] != none) {
                builder.add_producer(number[v], new_value[value]);
                continue;
            }
            std::vector<value_index> owners;
            for (auto const owner : from.owners(value)) owners.push_back(new_value[owner]);
            new_value[value] = from.is_view(value) ? builder.add_view(number[v], owners)
                                                   : builder.add_value(number[v], from.size(value));
            part.values.push_back(value);
        }
    }
    for (auto const v : part.operations) {
        for (auto const value : from.operands(v)) builder.add_read(number[v], new_value[value]);
        for (auto const u : from.control_predecessors(v))
            if (number[u] != none) builder.add_control_edge(number[u], number[v]);
        for (auto const& m : from.mutations(v)) builder.add_mutation(number[v], m.output, new_value[m.over]);
        for (auto const& o : from.allowed_overwrites(v))
            builder.allow_overwrite(number[v], o.output, new_value[o.over]);
    }
    for (auto const value : from.results())
        if (new_value[value] != none) builder.add_result(new_value[value]);
    part.flow = std::move(builder).build();
    return part;
}

}  // namespace detail

}  // namespace repebble::inline v0

#endif
