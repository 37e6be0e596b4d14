// The compiled part of the planner: the target repebble::planner is this file.
#include <repebble/planner/separate_compilation.hpp>
