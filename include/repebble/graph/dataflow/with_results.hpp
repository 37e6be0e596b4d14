#ifndef REPEBBLE_GRAPH_DATAFLOW_WITH_RESULTS_HPP
#define REPEBBLE_GRAPH_DATAFLOW_WITH_RESULTS_HPP

// Other results for the same dataflow: for callers who know only after it is built what stays to the end, such as the
// gradients of parameters in a training graph.

#include <span>

#include <repebble/graph/dataflow/dataflow.hpp>

namespace repebble::inline v0 {

namespace detail {

struct with_results_fn {
    [[nodiscard]] auto operator()(dataflow flow, std::span<value_index const> more) const -> dataflow;
};

}  // namespace detail

/// The same dataflow with more results: values that stay resident to the end.  O(n + m).  Throws bad_graph where there
/// is no such value, or where an operation overwrites it.
inline constexpr detail::with_results_fn with_results{};

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/graph/dataflow/with_results.ipp>
#endif

#endif
