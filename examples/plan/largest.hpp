#ifndef PLAN_LARGEST_HPP
#define PLAN_LARGEST_HPP

#include "arguments.hpp"
#include "strategies.hpp"

namespace plan {

/// Finds the largest size of the network that the arguments name, in the direction that they name, which has a plan
/// within the budget, and says what came out. Returns the exit status.  Throws repebble::error.
[[nodiscard]] auto find_largest(arguments const& asked, time_limit const& limit) -> int;

}  // namespace plan

#endif
