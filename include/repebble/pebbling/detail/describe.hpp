#ifndef REPEBBLE_PEBBLING_DETAIL_DESCRIBE_HPP
#define REPEBBLE_PEBBLING_DETAIL_DESCRIBE_HPP

// The wording of the judge's messages about vertices and rules.

#include <cstddef>
#include <string>

#include <repebble/pebbling/violation.hpp>

namespace repebble::inline v0::detail {

/// A violation whose message names step, vertex and rule.
[[nodiscard]] inline auto violation_of(rule broken, std::size_t step, std::size_t v, std::string const& why)
    -> violation {
    return {
        step, broken, v,
        "step " + std::to_string(step) + ", vertex " + std::to_string(v) + ": " + why + " (" + to_string(broken) + ")"};
}

}  // namespace repebble::inline v0::detail

#endif
