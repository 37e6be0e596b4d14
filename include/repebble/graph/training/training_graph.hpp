#ifndef REPEBBLE_GRAPH_TRAINING_TRAINING_GRAPH_HPP
#define REPEBBLE_GRAPH_TRAINING_TRAINING_GRAPH_HPP

// The training graph: a dataflow with the origin of each operation. The input of most strategies.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/edit.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/graph/training/convention.hpp>
#include <repebble/graph/training/training_vertex.hpp>

namespace repebble::inline v0 {

/// A forward graph together with its gradients, as one dataflow. Built training graphs number the forward operations
/// first, by their own index, then the gradients in reverse topological order; joint graphs keep their own numbers.
struct training_graph {
    dataflow flow;                                         ///< forward operations and gradients
    std::vector<training_vertex<operation_index>> origin;  ///< of every operation of `flow`; vertices by forward index
    convention made_by = convention::value_grad;           ///< how gradients became operations
    /// Of every value of `flow`: the forward value of which it is the gradient or a part of the gradient; no_value for
    /// forward values, for gradients of parameters, and for a gradient of several values. Empty for joint graphs.
    std::vector<value_index> gradient_of{};

    /// The operation of this training vertex; empty where there is none (the gradient of a view).  O(operations).
    [[nodiscard]] auto find(training_vertex<operation_index> const& v) const -> std::optional<operation_index> {
        auto const at = std::ranges::find(origin, v);
        if (at == origin.end()) return std::nullopt;
        return static_cast<operation_index>(at - origin.begin());
    }
};

/// The same training graph with changes to its dataflow.  O(n + m).  Throws as `edit` of a dataflow.
[[nodiscard]] inline auto edit(training_graph training, dataflow_changes const& changes) -> training_graph {
    training.flow = edit(std::move(training.flow), changes);
    return training;
}

namespace detail {

template <class T>
inline constexpr bool is_training_graph = false;
template <>
inline constexpr bool is_training_graph<training_graph> = true;

}  // namespace detail

}  // namespace repebble::inline v0

#endif
