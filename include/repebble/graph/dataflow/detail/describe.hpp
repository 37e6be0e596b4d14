#ifndef REPEBBLE_GRAPH_DATAFLOW_DETAIL_DESCRIBE_HPP
#define REPEBBLE_GRAPH_DATAFLOW_DETAIL_DESCRIBE_HPP

// The name of a value in messages: that of its vertex and output, which a caller knows.

#include <string>

#include <repebble/graph/dataflow/dataflow.hpp>

namespace repebble::inline v0::detail {

/// "vertex 3", or "output 1 of vertex 3" where it has several: the first producer of a value.  O(outputs of that).
[[nodiscard]] inline auto describe(dataflow const& flow, value_index value) -> std::string {
    auto const [u, j] = flow.as_output(value);
    return (flow.writes(u).size() == 1 ? "" : "output " + std::to_string(j) + " of ") + "vertex " + std::to_string(u);
}

}  // namespace repebble::inline v0::detail

#endif
