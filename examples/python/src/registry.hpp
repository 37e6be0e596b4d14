#ifndef REPEBBLE_PYTHON_REGISTRY_HPP
#define REPEBBLE_PYTHON_REGISTRY_HPP

// The registry of strategies, and the constants of the planner.

#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>

#include <repebble/planner/effort.hpp>

namespace repebble_python {

using named_values = std::vector<std::pair<std::string, double>>;

/// The constants of the planner, some of them other than usual.  Throws bad_option, naming the constant.
[[nodiscard]] auto effort_of(named_values const& changed) -> repebble::effort;

/// Adds both to the module.
void add_registry(nanobind::module_& m);

}  // namespace repebble_python

#endif
