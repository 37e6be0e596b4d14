#ifndef REPEBBLE_PYTHON_ORDERS_HPP
#define REPEBBLE_PYTHON_ORDERS_HPP

// Orders of graphs and what is enumerated: orders of least peak, lower sets, elimination orders, reversals of chains.

#include <nanobind/nanobind.h>

namespace repebble_python {

/// Adds them to the module.
void add_orders(nanobind::module_& m);

}  // namespace repebble_python

#endif
