#ifndef REPEBBLE_TRAINING_PLANNED_GRADIENTS_HPP
#define REPEBBLE_TRAINING_PLANNED_GRADIENTS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/graph/training/training_vertex.hpp>

namespace repebble::training {

/// Gradients of parameters as values of a training graph.
struct planned_gradients {
    /// Of every operation: for each of its parameters the gradient, or the sum so far, that it writes; none where it is
    /// no backward operation; no_value where the parameter is not trained.
    std::vector<std::vector<value_index>> written{};
    std::vector<value_index> results{};  ///< of every parameter: its whole gradient; no_value where there is none
};

/// A training graph with gradients of parameters as further outputs of its backward operations, and as its results. The
/// first operation that has a parameter writes a new value; each later one, in the order of the graph, reads the sum so
/// far and writes the new sum over it (a mutation), so that the order of the terms is the same in every schedule.
/// `parameters_of(v)`: the numbers of the parameters of forward operation v. `sizes`: the bytes of every parameter, 0
/// where it is not trained.  Throws bad_graph where an operation has one parameter twice.
template <class ParametersOf>
[[nodiscard]] auto add_gradients_of_parameters(training_graph& training, ParametersOf const& parameters_of,
                                               std::vector<bytes> const& sizes) -> planned_gradients {
    auto const& from = training.flow;
    dataflow_builder builder;
    for (operation_index v = 0; v < from.operation_count(); ++v)
        from.is_input(v) ? builder.add_input()
                         : builder.add_operation(from.time(v), from.workspace(v), from.recomputable(v));
    for (value_index value = 0; value < from.value_count(); ++value) {
        auto const producers = from.producers(value);
        from.is_view(value) ? builder.add_view(producers.front(), from.owners(value))
                            : builder.add_value(producers.front(), from.size(value));
        for (auto const other : producers.subspan(1)) builder.add_producer(other, value);
    }
    for (operation_index v = 0; v < from.operation_count(); ++v) {
        for (auto const value : from.operands(v)) builder.add_read(v, value);
        for (auto const u : from.control_predecessors(v)) builder.add_control_edge(u, v);
        for (auto const& m : from.mutations(v)) builder.add_mutation(v, m.output, m.over);
        for (auto const& o : from.allowed_overwrites(v)) builder.allow_overwrite(v, o.output, o.over);
    }
    for (auto const value : from.results()) builder.add_result(value);

    planned_gradients planned{std::vector<std::vector<value_index>>(from.operation_count()),
                              std::vector<value_index>(sizes.size(), no_value)};
    for (operation_index v = 0; v < from.operation_count(); ++v) {
        if (training.origin[v].pass != pass::backward) continue;
        for (auto const p : parameters_of(training.origin[v].vertex)) {
            planned.written[v].push_back(no_value);
            if (sizes[p] == 0) continue;
            auto const before = planned.results[p];
            auto const output = static_cast<std::uint32_t>(builder.output_count(v));
            planned.written[v].back() = planned.results[p] = builder.add_value(v, sizes[p]);
            training.gradient_of.push_back(no_value);
            if (before == no_value) continue;
            builder.add_read(v, before);
            builder.add_mutation(v, output, before);
        }
    }
    for (auto const value : planned.results)
        if (value != no_value) builder.add_result(value);
    auto made = std::move(builder).build();
    for (operation_index v = 0; v < from.operation_count(); ++v)
        if (!std::ranges::equal(from.writes(v), made.writes(v).first(from.writes(v).size())))
            throw bad_graph("operation " + std::to_string(v) + " has its outputs in another order than their numbers");
    training.flow = std::move(made);
    return planned;
}

}  // namespace repebble::training

#endif
