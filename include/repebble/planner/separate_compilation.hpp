#ifndef REPEBBLE_PLANNER_SEPARATE_COMPILATION_HPP
#define REPEBBLE_PLANNER_SEPARATE_COMPILATION_HPP

// The compiled part of the planner. Include it in exactly one source file of a program whose files are all compiled
// with REPEBBLE_SEPARATE_COMPILATION defined. The CMake target repebble::planner does both.

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#error "repebble: define REPEBBLE_SEPARATE_COMPILATION for every source file that includes repebble/plan.hpp"
#endif

#include <repebble/planner/detail/plan_for_budgets_definition.hpp>

#endif
