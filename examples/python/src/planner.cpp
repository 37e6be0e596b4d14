// The automatic planner, compiled once.
#include <repebble/planner/separate_compilation.hpp>
