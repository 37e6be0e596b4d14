#ifndef REPEBBLE_GRAPH_DATAFLOW_WITH_RESULTS_HPP
#define REPEBBLE_GRAPH_DATAFLOW_WITH_RESULTS_HPP

// Other results for the same dataflow: for callers who know only after it is built what stays to the end, such as the
// gradients of parameters in a training graph.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <repebble/detail/sort_unique.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/error.hpp>

namespace repebble::inline v0 {

namespace detail {

struct with_results_fn {
    template <quantity Time>
    [[nodiscard]] constexpr auto operator()(dataflow<Time> flow, std::span<value_index const> more) const
        -> dataflow<Time> {
        for (auto const value : more)
            if (value >= flow.value_count())
                detail::raise(bad_graph("value " + std::to_string(value) + " is named as a result: there are " +
                                        std::to_string(flow.value_count())));
        flow.results_.insert(flow.results_.end(), more.begin(), more.end());
        sort_unique(flow.results_);
        dataflow_builder<Time>::check_results(flow);
        return flow;
    }
};

}  // namespace detail

/// The same dataflow with more results: values that stay resident to the end.  O(n + m).  Throws bad_graph where there
/// is no such value, or where an operation overwrites it.
inline constexpr detail::with_results_fn with_results{};

}  // namespace repebble::inline v0

#endif
