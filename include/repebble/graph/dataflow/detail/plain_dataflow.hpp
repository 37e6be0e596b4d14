#ifndef REPEBBLE_GRAPH_DATAFLOW_DETAIL_PLAIN_DATAFLOW_HPP
#define REPEBBLE_GRAPH_DATAFLOW_DETAIL_PLAIN_DATAFLOW_HPP

// Results, control edges, inputs and mutations expressed by operations, values and reads alone, so that a search need
// not know of them. The planner's model and the exact searches are made from it. Invariant: operations and values of
// the dataflow keep their numbers; a sequence of the plain dataflow without its last operation is one of the dataflow,
// with the same loads.

#include <cstdint>
#include <optional>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/dataflow/usable_overwrites.hpp>

namespace repebble::inline v0::detail {

/// A dataflow without results, control edges, inputs and mutations that has the same sequences.
struct plain_dataflow {
    dataflow flow;  ///< the operations and values of the other, and some more
    /// Reads all results when all else has run; empty where there is no need of it.
    std::optional<operation_index> end{};
    /// By operation, the usable overwrites: outputs by their numbers in the given dataflow.
    jagged_array<overwrite> overwrites{};
    /// By operation, the values whose storages it mutates: they end with it, and it writes values of their sizes.
    jagged_array<value_index> ended{};
};

/// Whether reads alone order the operations: there are no control edges, inputs or mutations.  O(operations).
[[nodiscard]] auto is_ordered_by_data(dataflow const& flow) -> bool;

/// By operation, the owners of the storages that it mutates.  O(operations + mutations).
[[nodiscard]] auto mutated_owners(dataflow const& flow) -> jagged_array<value_index>;

/// Whether a dataflow has neither results nor control edges, inputs or mutations.  O(operations).
[[nodiscard]] constexpr auto is_plain(dataflow const& flow) -> bool {
    return flow.results().empty() && is_ordered_by_data(flow);
}

/// Makes a dataflow plain. A control edge u -> v becomes a value of no bytes that u writes and v reads. Inputs come
/// before all sources by such values, too. What a mutation writes is a value with the bytes of the storage that it
/// takes over: whoever counts these knows that the overwritten value has ended.
class plain_builder {
  public:
    explicit plain_builder(dataflow const& flow)
        : flow_(flow), first_(firsts_in_storage(flow)), token_(flow.operation_count(), no_value) {}

    [[nodiscard]] auto build() && -> plain_dataflow;

  private:
    void add_operations();
    void add_values();
    /// Control edges, but from operations that must have run for what is read.
    void add_control_edges();
    /// Whether a sink has a reader now, which need not run itself, as others may compute what it writes.
    [[nodiscard]] auto hides_sinks() const -> bool;
    /// A value of no bytes that says that u has run.
    auto token_of(operation_index u) -> value_index {
        if (token_[u] == no_value) token_[u] = builder_.add_value(u, 0);
        return token_[u];
    }
    /// All inputs are there before anything else runs, and before one of them is let go.
    void order_inputs();
    auto add_end() -> operation_index;

    /// Some producer of the value runs before v.
    void read_any(operation_index v, value_index value);

    dataflow const& flow_;
    dataflow_builder builder_;
    std::vector<value_index> first_;  // of a value: the first one in its storage
    std::vector<value_index> token_;  // of an operation: the value that says that it has run
};

/// The plain dataflow of any dataflow; a copy where it is plain. Views of values of several operations stay views.
/// O((n + m) log n).
[[nodiscard]] inline auto make_plain(dataflow const& flow) -> plain_dataflow {
    if (!is_plain(flow)) return plain_builder(flow).build();
    return {flow, {}, find_usable_overwrites(flow), mutated_owners(flow)};
}

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/graph/dataflow/plain_dataflow.ipp>
#endif

#endif
