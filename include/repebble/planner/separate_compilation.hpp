#ifndef REPEBBLE_PLANNER_SEPARATE_COMPILATION_HPP
#define REPEBBLE_PLANNER_SEPARATE_COMPILATION_HPP

// The compiled part of the planner, and of the graphs that it plans for: all that depends on no type of the caller.
// Include it in exactly one source file of a program whose files are all compiled with REPEBBLE_SEPARATE_COMPILATION
// defined. The CMake target repebble::planner does both.

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#error "repebble: define REPEBBLE_SEPARATE_COMPILATION for every source file that includes repebble/plan.hpp"
#endif

#include <cstdint>

#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/planner/detail/plan_for_budgets_definition.hpp>

namespace repebble::inline v0 {

template class dataflow_builder<std::int64_t>;
template class detail::gradient_builder<std::int64_t>;
template struct detail::over_link<>;

}  // namespace repebble::inline v0

#endif
