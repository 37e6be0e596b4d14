#ifndef REPEBBLE_PEBBLING_DETAIL_DESCRIBE_HPP
#define REPEBBLE_PEBBLING_DETAIL_DESCRIBE_HPP

#include <cstddef>
#include <string>

#include <repebble/detail/raise.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/pebbling/violation.hpp>

namespace repebble::inline v0::detail {

/// "vertex 3", or "output 1 of vertex 3" where it has several.
template <quantity Time>
[[nodiscard]] auto describe(dataflow<Time> const& flow, value_index value) -> std::string {
    auto const [u, j] = flow.as_output(value);
    return (flow.writes(u).size() == 1 ? "" : "output " + std::to_string(j) + " of ") + "vertex " + std::to_string(u);
}

/// Throws illegal_schedule with a message that names step, vertex and rule.
[[noreturn]] inline void break_rule(std::size_t step, rule broken, std::size_t v, std::string const& why) {
    detail::raise(illegal_schedule({step, broken, v,
                                    "step " + std::to_string(step) + ", vertex " + std::to_string(v) + ": " + why +
                                        " (" + to_string(broken) + ")"}));
}

}  // namespace repebble::inline v0::detail

#endif
