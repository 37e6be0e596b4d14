#ifndef REPEBBLE_GRAPH_TRAINING_FORWARD_PART_HPP
#define REPEBBLE_GRAPH_TRAINING_FORWARD_PART_HPP

// The forward pass of a training graph as a dataflow of its own, as for inference.

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/training/training_graph.hpp>

namespace repebble::inline v0 {

/// A forward pass, and the maps back to the training graph.
template <quantity Time = std::int64_t>
struct forward_dataflow {
    dataflow<Time> flow;                        ///< the forward pass
    std::vector<operation_index> operations{};  ///< of every operation of `flow`: the same in the training graph
    std::vector<value_index> values{};          ///< of every value of `flow`: the same in the training graph
};

namespace detail {

struct forward_part_fn {
    template <quantity Time>
    [[nodiscard]] auto operator()(training_graph<Time> const& training) const -> forward_dataflow<Time> {
        constexpr auto none = std::numeric_limits<value_index>::max();
        auto const& from = training.flow;
        forward_dataflow<Time> part;
        dataflow_builder<Time> builder;
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
};

}  // namespace detail

/// The forward pass of a training graph, without gradients and their reads. Operations keep their order.  O((n + m) log
/// n).
inline constexpr detail::forward_part_fn forward_part{};

}  // namespace repebble::inline v0

#endif
