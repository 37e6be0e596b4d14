#ifndef REPEBBLE_PYTHON_NETWORKS_HPP
#define REPEBBLE_PYTHON_NETWORKS_HPP

// Networks by name, ONNX models and graph files, as rows of a Python graph.

#include <nanobind/nanobind.h>

namespace repebble_python {

/// Adds them to the module.
void add_networks(nanobind::module_& m);

}  // namespace repebble_python

#endif
