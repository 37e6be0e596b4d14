#ifndef REPEBBLE_PYTHON_SOLVERS_HPP
#define REPEBBLE_PYTHON_SOLVERS_HPP

// The solvers beside the planner: offsets, chains, treewidth.

#include <nanobind/nanobind.h>

namespace repebble_python {

/// Adds them to the module.
void add_solvers(nanobind::module_& m);

}  // namespace repebble_python

#endif
