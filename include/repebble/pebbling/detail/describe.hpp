#ifndef REPEBBLE_PEBBLING_DETAIL_DESCRIBE_HPP
#define REPEBBLE_PEBBLING_DETAIL_DESCRIBE_HPP

// The wording of the judge's messages about vertices, outputs and rules.

#include <cstddef>
#include <string>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/pebbling/violation.hpp>

namespace repebble::inline v0::detail {

/// "vertex 3", or "output 1 of vertex 3" where it has several.
template <quantity Time>
[[nodiscard]] auto describe(dataflow<Time> const& flow, value_index value) -> std::string {
    auto const [u, j] = flow.as_output(value);
    return (flow.writes(u).size() == 1 ? "" : "output " + std::to_string(j) + " of ") + "vertex " + std::to_string(u);
}

/// A violation whose message names step, vertex and rule.
[[nodiscard]] inline auto violation_of(rule broken, std::size_t step, std::size_t v, std::string const& why)
    -> violation {
    return {
        step, broken, v,
        "step " + std::to_string(step) + ", vertex " + std::to_string(v) + ": " + why + " (" + to_string(broken) + ")"};
}

}  // namespace repebble::inline v0::detail

#endif
