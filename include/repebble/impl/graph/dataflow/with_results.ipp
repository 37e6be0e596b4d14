#ifndef REPEBBLE_IMPL_GRAPH_DATAFLOW_WITH_RESULTS_IPP
#define REPEBBLE_IMPL_GRAPH_DATAFLOW_WITH_RESULTS_IPP

#include <repebble/graph/dataflow/with_results.hpp>

#include <string>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/detail/sort_unique.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/error.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto with_results_fn::operator()(dataflow flow, std::span<value_index const> more) const -> dataflow {
    for (auto const value : more)
        if (value >= flow.value_count())
            detail::raise(bad_graph("value " + std::to_string(value) + " is named as a result: there are " +
                                    std::to_string(flow.value_count())));
    flow.results_.insert(flow.results_.end(), more.begin(), more.end());
    sort_unique(flow.results_);
    dataflow_builder::check_results(flow);
    return flow;
}

}  // namespace repebble::inline v0::detail

#endif
