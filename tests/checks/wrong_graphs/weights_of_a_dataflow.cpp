// expected: a_problem_has_weights_of_its_own
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/plan.hpp>

auto main() -> int { repebble::plan(repebble::dataflow{}, repebble::weights{}, 7); }
