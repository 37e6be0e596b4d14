#ifndef REPEBBLE_PYTHON_PIPELINES_HPP
#define REPEBBLE_PYTHON_PIPELINES_HPP

// The planner of training steps on several ranks.

#include <nanobind/nanobind.h>

namespace repebble_python {

/// Adds it to the module.
void add_pipelines(nanobind::module_& m);

}  // namespace repebble_python

#endif
