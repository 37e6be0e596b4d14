#ifndef REPEBBLE_GRAPH_TRAINING_DETAIL_GRADIENT_BUILDER_HPP
#define REPEBBLE_GRAPH_TRAINING_DETAIL_GRADIENT_BUILDER_HPP

// Reverse-mode differentiation of a dataflow at the level of operations: appends gradients in reverse topological order
// under one of three conventions. The body of make_training_graph. Invariant: forward operations keep their indices.

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <repebble/detail/sort_unique.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/dataflow/detail/contract_views.hpp>
#include <repebble/graph/training/convention.hpp>
#include <repebble/graph/training/gradient_needs.hpp>
#include <repebble/graph/training/trained_parameter.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/graph/training/training_vertex.hpp>

namespace repebble::inline v0::detail {

/// Adds gradients to a forward dataflow. Works on the dataflow with views contracted, whose operations are called c
/// below.
class gradient_builder {
  public:
    gradient_builder(dataflow const& forward, gradient_needs const& needs, std::vector<bytes> const& gradient_memory,
                     std::span<trained_parameter const> parameters,
                     std::span<operation_index const> without_gradient = {},
                     std::span<value_index const> values_without_gradient = {});

    [[nodiscard]] auto build(convention how) && -> training_graph;

  private:
    void copy_forward();
    /// The operations with gradients that read values of c, ascending.
    [[nodiscard]] auto readers_of(operation_index c) const -> std::vector<operation_index>;
    /// The operations with gradients that write values which c reads, ascending.
    [[nodiscard]] auto sources_of(operation_index c) const -> std::vector<operation_index>;
    /// The operations with gradients of any of these values, ascending.
    template <class Of>
    [[nodiscard]] auto united(std::span<value_index const> values, Of const& operations_of) const
        -> std::vector<operation_index> {
        std::vector<operation_index> all;
        for (auto const value : values) {
            if (!has_gradient(value)) continue;
            auto const some = operations_of(value);
            for (auto const c : some)
                if (passes_gradients_[c] != 0) all.push_back(c);
        }
        sort_unique(all);
        return all;
    }

    /// Translates the needs to contracted values: gradients read the owners of merged views, in whose storages they
    /// lie.
    void collect_needs(gradient_needs const& needs);

    void measure_gradients(std::vector<bytes> const& given);
    void collect_parameters();
    [[nodiscard]] auto has_gradient(value_index value) const -> bool {
        return has_gradient_[contracted_.original_value[value]] != 0;
    }
    /// The first output of c that has a gradient, or the first.  Requires: c has outputs.
    [[nodiscard]] auto leading_output(operation_index c) const -> value_index;
    /// Bytes of a value; of a view that was not merged, those of its owners.
    [[nodiscard]] auto size_of(value_index value) const -> bytes;

    auto add_operation(operation_index c, pass which, std::uint32_t part = 0) -> operation_index;
    /// Adds a value: the gradient, or a part of the gradient, of a contracted value.
    auto add_gradient(operation_index op, bytes size, value_index of) -> value_index;
    /// The value of the training graph for a contracted value.
    [[nodiscard]] auto training_value(value_index value) const -> value_index {
        return value_[contracted_.original_value[value]];
    }
    /// Reads a contracted value, once however many need it.
    void read_forward(operation_index op, value_index value) {
        if (std::exchange(last_reader_[value], op) != op) builder_.add_read(op, training_value(value));
    }
    void read_needs(operation_index op, operation_index c) {
        for (auto const value : needs_[c]) read_forward(op, value);
    }

    void add_value_gradient(operation_index c);

    void add_backward(operation_index c);

    void add_executable(operation_index c);
    /// Adds a gradient of a value to the sum of those before, as soon as it is there.
    void accumulate(value_index value, value_index gradient);

    /// For every parameter of c: its gradient at c, added to the sum over the users before.
    void add_parameter_gradients(operation_index c);

    dataflow const& forward_;
    contracted_dataflow contracted_;
    std::span<trained_parameter const> parameters_;
    dataflow_builder builder_;
    std::vector<training_vertex<operation_index>> origin_;
    std::vector<value_index> value_;               // of every forward value: the same in the training graph
    std::vector<std::vector<value_index>> needs_;  // per c: contracted values
    std::vector<char> passes_gradients_;           // per c
    std::vector<char> has_gradient_;               // per forward value
    std::vector<bytes> size_;                      // per c: bytes of the gradient of its leading output
    std::vector<value_index> gradient_;            // per c: its gradient
    std::vector<value_index> gradient_sum_;        // per contracted value: of its readers so far, last one first
    std::vector<std::uint32_t> additions_;         // per c: how many there are of gradients of its values
    std::vector<operation_index> last_reader_;     // per contracted value: the gradient that read it last, none: 0
    std::vector<value_index> arriving_;            // gradients that arrive at c, read by its parameters' gradients
    std::vector<std::vector<std::uint32_t>> parameters_of_;  // per c: positions in `parameters_`
    std::vector<value_index> sum_;                           // per parameter: its gradient so far
    std::vector<value_index> gradient_of_;                   // per value of the training graph
};

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/graph/training/gradient_builder.ipp>
#endif

#endif
