// expected: a_dataflow_has_no_gradients_make_its_training_graph_first
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/plan.hpp>

auto main() -> int { repebble::plan_training(repebble::dataflow{}, 7); }
