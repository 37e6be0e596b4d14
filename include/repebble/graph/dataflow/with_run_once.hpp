#ifndef REPEBBLE_GRAPH_DATAFLOW_WITH_RUN_ONCE_HPP
#define REPEBBLE_GRAPH_DATAFLOW_WITH_RUN_ONCE_HPP

// Operations of a dataflow that may run only once, said after it is built: for callers who decide then that what they
// make is to be kept.

#include <span>
#include <string>

#include <repebble/detail/raise.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/error.hpp>

namespace repebble::inline v0 {

namespace detail {

struct with_run_once_fn {
    [[nodiscard]] constexpr auto operator()(dataflow flow, std::span<operation_index const> operations) const
        -> dataflow {
        for (auto const v : operations) {
            if (v >= flow.operation_count())
                detail::raise(bad_graph("operation " + std::to_string(v) + " is to run once: there are " +
                                        std::to_string(flow.operation_count())));
            flow.operations_[v].recomputable = false;
        }
        return flow;
    }
};

}  // namespace detail

/// The same dataflow, of which these operations are not recomputable.  O(n + m).  Throws bad_graph where there is no
/// such operation.
inline constexpr detail::with_run_once_fn with_run_once{};

}  // namespace repebble::inline v0

#endif
